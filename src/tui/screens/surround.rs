//! What surrounds every screen: the tabs above, the keys below, the frames between, and what is said where there is
//! no room for any of it.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use ratatui::widgets::Block;
use unicode_width::UnicodeWidthStr;

use super::refusal;
use super::workbench::view::whole_run;
use crate::tui::action::{ACTIONS, Action, ActionInfo, Context, ScreenName};
use crate::tui::keymap::Chord;
use crate::tui::model::{Model, Tone};
use crate::tui::overlays;
use crate::tui::theme::{Theme, glyph};
use crate::tui::widgets::figures::grouped;

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
    let left = Line::from(left);
    let left_width = left.width();
    frame.render_widget(left, area);
    let mut right = Vec::new();
    if !model.choice.all().is_empty() {
        right.push(Span::styled(format!("{} {} marked ", glyph::CHOSEN, model.choice.all().len()), theme.key));
    }
    if let Some(session) = model.run.as_ref().and_then(|run| run.view.session_id) {
        right.push(Span::styled(format!("run {} ", session.short()), theme.muted));
    }
    let right = Line::from(right);
    // The screens come first where there is no room for both.
    if left_width + right.width() < usize::from(area.width) {
        frame.render_widget(right.right_aligned(), area);
    }
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

/// The status row of a screen beside the Workbench: at its right a passing message, or what goes on meanwhile.
pub(crate) fn run_status(model: &Model, left: Vec<Span<'_>>, area: Rect, frame: &mut Frame<'_>, theme: &Theme) {
    let right = toast(model, theme).unwrap_or_else(|| match (&model.history.transfer, &model.run) {
        (Some(transfer), _) => vec![Span::styled(format!("{} · ^C stops ", transfer.told()), theme.live)],
        (None, Some(_)) => [vec![Span::styled("run ", theme.muted)], whole_run(model, theme)].concat(),
        (None, None) => Vec::new(),
    });
    status(frame, area, left, right);
}

/// How much is out of sight: ` ▾ 12 `.
pub(crate) fn place(above: usize, below: usize) -> Option<String> {
    match (above, below) {
        (0, 0) => None,
        (0, below) => Some(format!(" ▾ {} ", grouped(below as u64))),
        (above, 0) => Some(format!(" ▴ {} ", grouped(above as u64))),
        (above, below) => Some(format!(" ▴ {} ▾ {} ", grouped(above as u64), grouped(below as u64))),
    }
}

/// The keys that can be used now, the most useful first. The help, or what closes an open box, is pinned right and
/// never cut.
pub(crate) fn hints(model: &Model, area: Rect, frame: &mut Frame<'_>, theme: &Theme) {
    let letters_act = model.context().chain().contains(&Context::Navigate);
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
    let live = model.is_busy();
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
