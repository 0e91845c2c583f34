//! What surrounds every screen: the tabs above, the keys below, the frames between, and what is said where there is
//! no room for any of it.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use ratatui::widgets::Block;
use unicode_width::UnicodeWidthStr;

use super::refusal;
use crate::tui::action::{ACTIONS, Action, ActionInfo, Context, ScreenName};
use crate::tui::keymap::Chord;
use crate::tui::model::{Model, Tone};
use crate::tui::overlays;
use crate::tui::theme::{Theme, glyph};

/// Below this the screen only says what it needs.
pub(crate) const LEAST: (u16, u16) = (60, 16);

/// Cuts `height` rows off the top of `area`, as far as there are any.
pub(crate) fn cut_top(area: &mut Rect, height: u16) -> Rect {
    let height = height.min(area.height);
    let cut = Rect { height, ..*area };
    *area = Rect { y: area.y + height, height: area.height - height, ..*area };
    cut
}

/// Cuts `height` rows off the bottom of `area`, as far as there are any.
pub(crate) fn cut_bottom(area: &mut Rect, height: u16) -> Rect {
    let height = height.min(area.height);
    area.height -= height;
    Rect { y: area.bottom(), height, ..*area }
}

/// One line that says what is needed.
pub(crate) fn too_small(frame: &mut Frame<'_>, area: Rect, theme: &Theme) {
    let (width, height) = LEAST;
    let text = format!("aludel needs {width}x{height}, this is {}x{}", area.width, area.height);
    let row = Rect { y: area.y + area.height / 2, height: area.height.min(1), ..area };
    frame.render_widget(Line::styled(text, theme.warning).centered(), row);
}

/// The program's name, the screens, and which run is on the Workbench.
pub(crate) fn header(model: &Model, area: Rect, frame: &mut Frame<'_>, theme: &Theme) {
    let mut left = vec![Span::styled(" aludel", theme.brand)];
    for screen in ScreenName::ALL {
        let style = if screen == model.screen { theme.strong } else { theme.muted };
        left.push(Span::styled(format!("  {} {}", screen.digit(), screen.title()), style));
    }
    frame.render_widget(Line::from(left), area);
    let Some(session) = model.run.as_ref().and_then(|run| run.view.session_id) else { return };
    let right = Line::from(Span::styled(format!("run {} ", session.short()), theme.muted)).right_aligned();
    frame.render_widget(right, area);
}

/// The frame of a pane.
pub(crate) fn pane<'a>(title: Line<'a>, focused: bool, theme: &Theme) -> Block<'a> {
    let (style, shape) = theme.frame(focused);
    Block::bordered().border_type(shape).border_style(style).title_top(title)
}

/// The picture of work at this moment. It rests while nobody looks.
pub(crate) fn spinner(model: &Model) -> &'static str {
    let frames = glyph::SPINNER;
    let at = if model.attention { usize::try_from(model.now / 100).unwrap_or(0) } else { 0 };
    frames[at % frames.len()]
}

/// What a passing message says, if there is one.
pub(crate) fn toast(model: &Model, theme: &Theme) -> Option<Vec<Span<'static>>> {
    let toast = model.toast.as_ref()?;
    let style = match toast.tone {
        Tone::Done => theme.good,
        Tone::Refused => theme.warning,
    };
    Some(vec![Span::styled(format!("{} ", toast.text), style)])
}

/// A row with something at its left and something at its right. Of what is at the left, parts that do not fit whole are
/// left out.
pub(crate) fn status<'a>(frame: &mut Frame<'_>, area: Rect, left: Vec<Span<'a>>, right: Vec<Span<'a>>) {
    let right = Line::from(right).right_aligned();
    let mut room = usize::from(area.width).saturating_sub(right.width() + 1);
    let fits = |span: &Span<'_>| {
        let rest = room.checked_sub(span.width());
        room = rest.unwrap_or(0);
        rest.is_some()
    };
    let left: Vec<Span<'_>> = left.into_iter().take_while(fits).collect();
    frame.render_widget(Line::from(left), area);
    frame.render_widget(right, area);
}

/// The keys that can be used now, the most useful first. The help, or what closes an open box, is pinned right and
/// never cut.
pub(crate) fn hints(model: &Model, area: Rect, frame: &mut Frame<'_>, theme: &Theme) {
    let letters_act = matches!(model.context(), Context::Navigate | Context::History);
    let (offered, (key, label)) = match overlays::hints(model.overlay.as_ref()) {
        [others @ .., close] => (others.iter().map(|(keys, label)| ((*keys).to_owned(), *label)).collect(), *close),
        [] if letters_act => (offered(model), ("?", "help")),
        [] => (offered(model), ("F1", "help")),
    };
    let pinned = Line::from(vec![Span::styled(key, theme.key), Span::styled(format!(" {label} "), theme.muted)]);
    let room = usize::from(area.width).saturating_sub(pinned.width() + 2);
    let mut spans = vec![Span::raw(" ")];
    let mut used = 1;
    for (keys, label) in offered {
        let width = keys.width() + label.width() + 3;
        if used + width > room {
            continue;
        }
        used += width;
        spans.push(Span::styled(keys, theme.key));
        spans.push(Span::styled(format!(" {label}  "), theme.muted));
    }
    frame.render_widget(Line::from(spans), area);
    frame.render_widget(pinned.right_aligned(), area);
}

/// What is offered, in order: keys and label.
fn offered(model: &Model) -> Vec<(String, &'static str)> {
    let context = model.context();
    let live = model.live_run().is_some() || model.history.transfer.is_some();
    let mut infos: Vec<&ActionInfo> = ACTIONS
        .iter()
        .filter(|info| info.hint > 0 && info.works_in(context))
        .filter(|info| refusal(model, info.action).is_none())
        // Idle, `^C` stops nothing, and leaving has its own key.
        .filter(|info| info.action != Action::StopOrQuit || live)
        .collect();
    infos.sort_by_key(|info| info.hint);
    infos.into_iter().map(|info| (keys(info), info.label)).collect()
}

/// The first key of an action; of a pair such as `[ ]`, both.
fn keys(info: &ActionInfo) -> String {
    let first = |info: &ActionInfo| {
        let key = info.keys.first().and_then(|key| key.parse::<Chord>().ok());
        key.map_or_else(String::new, |chord| chord.to_string())
    };
    match info.action {
        Action::VariantNext => format!("{} {}", first(Action::VariantPrevious.info()), first(info)),
        Action::PhaseNext => format!("{} {}", first(Action::PhasePrevious.info()), first(info)),
        _ => first(info),
    }
}
