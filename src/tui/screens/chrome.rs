//! What surrounds every screen: the tabs above, the status row and the key hints below, the frames.
//! Also the message for a terminal that is too small.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use ratatui::widgets::Block;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use super::workbench::view::whole_run;
use super::{find, overlay_hints, refusal};
use crate::tui::action::{ACTIONS, Action, ActionInfo, Context, ScreenName};
use crate::tui::keymap::Chord;
use crate::tui::model::composer::vi;
use crate::tui::model::{Model, Tone};
use crate::tui::theme::{Theme, glyph};
use crate::tui::widgets::cells;
use crate::tui::widgets::figures::thousands;
use crate::tui::widgets::safe::safe_line;

/// The minimum size, in columns and rows. A smaller terminal only shows what is needed.
pub(crate) const MIN_SIZE: (u16, u16) = (60, 16);

/// True if the terminal is smaller than [`MIN_SIZE`].
pub(crate) fn is_too_small(width: u16, height: u16) -> bool {
    width < MIN_SIZE.0 || height < MIN_SIZE.1
}

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

/// The rows above and below the body of every screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Chrome {
    /// The tabs.
    pub(crate) header: Rect,
    /// Figures, or a passing message.
    pub(crate) status: Rect,
    /// The key hints.
    pub(crate) hints: Rect,
}

impl Chrome {
    /// Cuts them off `body`, one row each.
    pub(crate) fn cut(body: &mut Rect) -> Self {
        let header = cut_top(body, 1);
        let hints = cut_bottom(body, 1);
        Self { header, status: cut_bottom(body, 1), hints }
    }
}

/// The area inside a frame.
pub(crate) const fn inner(area: Rect) -> Rect {
    Rect {
        x: area.x.saturating_add(1),
        y: area.y.saturating_add(1),
        width: area.width.saturating_sub(2),
        height: area.height.saturating_sub(2),
    }
}

/// Says which size is needed, and which key still works.
pub(crate) fn too_small(frame: &mut Frame<'_>, area: Rect, theme: &Theme) {
    let (width, height) = MIN_SIZE;
    let text = format!("aludel needs {width}x{height}, this is {}x{}", area.width, area.height);
    let lines = [Line::styled(text, theme.warning), Line::styled("Ctrl+C quits", theme.muted)];
    for (line, y) in lines.into_iter().zip(area.y + area.height / 2..area.bottom()) {
        frame.render_widget(line.centered(), Rect { y, height: 1, ..area });
    }
}

/// The program's name, the tabs, and the state of the run on the Workbench.
pub(crate) fn header(model: &Model, area: Rect, frame: &mut Frame<'_>, theme: &Theme) {
    let mut left = vec![Span::styled(BRAND, theme.brand)];
    for (screen, text) in tabs(model, area.width) {
        let style = if screen == model.screen { theme.strong } else { theme.muted };
        left.push(Span::styled(text, style));
    }
    frame.render_widget(Line::from(left), area);
    let mut right = Vec::new();
    for (text, style) in aside(model, theme) {
        right.push(Span::styled(text, style));
    }
    let right = Line::from(right);
    let room = usize::from(area.width).saturating_sub(tabs_width(model, area.width));
    // The tabs have priority if there is no room for both.
    if right.width() < room {
        frame.render_widget(right.right_aligned(), area);
    }
}

/// The text before the tabs.
const BRAND: &str = " aludel";

/// The text right of the tabs: how many prompts are marked, and the state of the run.
fn aside(model: &Model, theme: &Theme) -> Vec<(String, Style)> {
    let mut said = Vec::new();
    if !model.choice.all().is_empty() {
        said.push((format!("{} {} marked ", glyph::CHOSEN, model.choice.all().len()), theme.key));
    }
    if let Some(session) = model.run.as_ref().and_then(|run| run.view.session_id) {
        said.push((format!("run {} ", session.short()), theme.muted));
    }
    said
}

/// Columns of the tabs, [`BRAND`] included.
fn tabs_width(model: &Model, width: u16) -> usize {
    BRAND.width() + tabs(model, width).iter().map(|(_, text)| text.width()).sum::<usize>()
}

/// The text of each tab: shortened, then set closer, if the row has too little room.
fn tabs(model: &Model, width: u16) -> Vec<(ScreenName, String)> {
    let aside: usize = aside(model, &Theme::mono()).iter().map(|(text, _)| text.width()).sum();
    let room = usize::from(width).saturating_sub(BRAND.width());
    let written = |title: fn(ScreenName) -> &'static str, gap: &str| {
        let tab = |screen: ScreenName| (screen, format!("{gap}{} {}", screen.digit().unwrap_or(' '), title(screen)));
        ScreenName::ALL.map(tab).to_vec()
    };
    let ways = || {
        let [whole, short] = [ScreenName::title, ScreenName::short_title];
        [written(whole, "  "), written(short, "  "), written(short, " ")].into_iter()
    };
    let fits = |room: usize| ways().find(|way| way.iter().map(|(_, text)| text.width()).sum::<usize>() < room);
    // The tabs have priority if there is no room for both.
    fits(room.saturating_sub(aside)).or_else(|| fits(room)).or_else(|| ways().next_back()).unwrap_or_default()
}

/// The frame of a pane.
pub(crate) fn pane<'a>(title: Line<'a>, focused: bool, theme: &Theme) -> Block<'a> {
    let (style, shape) = theme.frame(focused);
    Block::bordered().border_type(shape).border_style(style).title_top(title)
}

/// Draws a row of a list. A marked row has one style over its whole width.
pub(crate) fn list_row(frame: &mut Frame<'_>, area: Rect, line: Line<'_>, is_marked: bool, theme: &Theme) {
    frame.render_widget(line, area);
    if is_marked {
        frame.buffer_mut().set_style(area, theme.marked);
    }
}

/// Fits a text into exactly `width` columns, the last of them blank.
pub(crate) fn fitted(text: &str, width: usize) -> String {
    let mut out = String::new();
    let mut used = 0;
    for letter in safe_line(text).chars() {
        let wide = letter.width().unwrap_or(0);
        if used + wide >= width {
            break;
        }
        used += wide;
        out.push(letter);
    }
    out.extend(std::iter::repeat_n(' ', width - used));
    out
}

/// The current frame of the spinner. It stands still while the terminal has no focus.
pub(crate) fn spinner(model: &Model) -> &'static str {
    let frames = glyph::SPINNER;
    let at = if model.attention { usize::try_from(model.now / model.link.spinner_ms()).unwrap_or(0) } else { 0 };
    frames[at % frames.len()]
}

/// The current passing message, if any.
pub(crate) fn toast(model: &Model, theme: &Theme) -> Option<Vec<Span<'static>>> {
    let toast = model.toast.as_ref()?;
    let style = match toast.tone {
        Tone::Done => theme.good,
        Tone::Refused => theme.warning,
        Tone::Asked => theme.strong,
    };
    Some(vec![Span::styled(format!("{} ", toast.text), style)])
}

/// Draws a row with text on the left and on the right. Left parts that do not fit are left out
/// whole; a right text wider than the row is cut at its end.
pub(crate) fn status<'a>(frame: &mut Frame<'_>, area: Rect, left: Vec<Span<'a>>, right: Vec<Span<'a>>) {
    let right = Line::from(right);
    if right.width() > usize::from(area.width) {
        frame.render_widget(right, area);
        if let Some(last) = area.right().checked_sub(1).filter(|_| !area.is_empty()) {
            frame.buffer_mut()[(last, area.y)].set_symbol("…");
        }
        return;
    }
    let right = right.right_aligned();
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

/// The status row of the other screens: a passing message or the run, or an open search.
pub(crate) fn run_status(model: &Model, left: Vec<Span<'_>>, area: Rect, frame: &mut Frame<'_>, theme: &Theme) {
    if find::view(model, area, frame, theme) {
        return;
    }
    let right = toast(model, theme).unwrap_or_else(|| match (&model.history.transfer, &model.run) {
        (Some(transfer), _) => {
            vec![Span::styled(format!("{}{}", transfer.told(), model.spell(" · {stop-or-quit} stops ")), theme.live)]
        }
        (None, Some(_)) => [vec![Span::styled("run ", theme.muted)], whole_run(model, theme)].concat(),
        (None, None) => Vec::new(),
    });
    status(frame, area, left, right);
}

/// How many rows are hidden: ` ▾ 12 `.
pub(crate) fn place(above: usize, below: usize) -> Option<String> {
    match (above, below) {
        (0, 0) => None,
        (0, below) => Some(format!(" ▾ {} ", thousands(below as u64))),
        (above, 0) => Some(format!(" ▴ {} ", thousands(above as u64))),
        (above, below) => Some(format!(" ▴ {} ▾ {} ", thousands(above as u64), thousands(below as u64))),
    }
}

/// Writes the number of hidden rows into the lower border of a pane or box.
pub(crate) fn say_hidden(frame: &mut Frame<'_>, area: Rect, above: usize, below: usize, theme: &Theme) {
    if let Some(place) = place(above, below) {
        let width = cells(place.width());
        let x = area.right().saturating_sub(width + 1);
        let foot = Rect { x, y: area.bottom().saturating_sub(1), width, height: 1 };
        frame.render_widget(Line::styled(place, theme.muted), foot.intersection(area));
    }
}

/// A key hint: its keys, its label, and the action of a click.
struct Hint {
    keys: String,
    label: &'static str,
    action: Option<Action>,
}

impl Hint {
    fn width(&self) -> usize {
        self.keys.width() + 1 + self.label.width()
    }
}

/// The hints for a row of `width` columns: as many as fit, most useful first, each with its column;
/// and the pinned one at the right, help or close, which is never cut.
fn hints_of(model: &Model, width: u16) -> (Vec<(usize, Hint)>, Hint) {
    let mut open = overlay_hints::hints(model);
    let (offered, pinned) = match open.pop() {
        Some((keys, label)) => {
            let others = open.into_iter().map(|(keys, label)| Hint { keys, label, action: None });
            (others.collect(), Hint { keys, label, action: None })
        }
        None => (offered(model), Hint { keys: model.spell("{help}"), label: "help", action: Some(Action::Help) }),
    };
    let room = usize::from(width).saturating_sub(pinned.width() + 3);
    let mut placed = Vec::new();
    let mut used = 1;
    for hint in offered {
        let width = hint.width() + 2;
        if used + width <= room {
            placed.push((used, hint));
            used += width;
        }
    }
    (placed, pinned)
}

/// Draws the keys that work now, most useful first.
pub(crate) fn hints(model: &Model, area: Rect, frame: &mut Frame<'_>, theme: &Theme) {
    let (placed, pinned) = hints_of(model, area.width);
    let mut spans = vec![Span::raw(" ")];
    for (_, hint) in placed {
        spans.push(Span::styled(hint.keys, theme.key));
        spans.push(Span::styled(format!(" {}  ", hint.label), theme.muted));
    }
    frame.render_widget(Line::from(spans), area);
    let label = Span::styled(format!(" {} ", pinned.label), theme.muted);
    frame.render_widget(Line::from(vec![Span::styled(pinned.keys, theme.key), label]).right_aligned(), area);
}

/// The hints that apply now, in order.
fn offered(model: &Model) -> Vec<Hint> {
    let context = model.context();
    let live = model.is_busy();
    let mut infos: Vec<&ActionInfo> = ACTIONS
        .iter()
        .filter(|info| info.hint > 0 && info.works_in(context))
        .filter(|info| refusal(model, info.action).is_none())
        // When idle, `^C` stops nothing, and quitting has its own key.
        .filter(|info| info.action != Action::StopOrQuit || live)
        .collect();
    infos.sort_by_key(|info| info.hint);
    let hint =
        |info: &ActionInfo| Hint { keys: keys(model, info), label: label(model, info), action: Some(info.action) };
    // In command mode, typing keys and the history key mean something else.
    let is_commanded = context == Context::Composer && model.composer.is_commanded();
    infos.retain(|info| !is_commanded || !matches!(info.action, Action::NewLine | Action::InputHistory));
    let mut hints: Vec<Hint> = infos.into_iter().map(hint).filter(|hint| !hint.keys.is_empty()).collect();
    if let Some(mode) = model.composer.mode().filter(|_| context == Context::Composer) {
        hints.insert(hints.len().min(1), mode_hint(mode));
    }
    hints
}

/// The hint for changing the input's mode.
fn mode_hint(mode: &str) -> Hint {
    match mode {
        vi::INSERT => Hint { keys: "Esc".to_owned(), label: "commands", action: None },
        vi::VISUAL => Hint { keys: "Esc".to_owned(), label: "unselect", action: None },
        _ => Hint { keys: "i".to_owned(), label: "type", action: Some(Action::FocusInput) },
    }
}

/// The label of an action in the current state.
fn label(model: &Model, info: &ActionInfo) -> &'static str {
    match info.action {
        Action::ChangeNext if model.find.is_some() => Action::FindNext.info().label,
        Action::Copy if model.selection.is_some() => "copy selection",
        _ => info.label,
    }
}

/// The screen whose tab covers this column.
pub(crate) fn tab_at(model: &Model, width: u16, column: u16) -> Option<ScreenName> {
    let mut end = BRAND.width();
    tabs(model, width).into_iter().find_map(|(screen, text)| {
        end += text.width();
        // The blanks before a tab belong to it.
        (usize::from(column) < end && usize::from(column) >= BRAND.width()).then_some(screen)
    })
}

/// The action of the hint at this column.
pub(crate) fn hint_at(model: &Model, width: u16, column: u16) -> Option<Action> {
    let (placed, pinned) = hints_of(model, width);
    if is_pinned(model, width, column) {
        return pinned.action;
    }
    let column = usize::from(column);
    let hit = placed.into_iter().find(|(at, hint)| (*at..at + hint.width()).contains(&column));
    hit.and_then(|(_, hint)| hint.action)
}

/// True if this column is on the pinned hint.
pub(crate) fn is_pinned(model: &Model, width: u16, column: u16) -> bool {
    let (_, pinned) = hints_of(model, width);
    usize::from(column) + pinned.width() + 1 >= usize::from(width)
}

/// The first key of an action, both keys for a pair such as `[ ]`. Empty if it has none.
fn keys(model: &Model, info: &ActionInfo) -> String {
    let first = |info: &ActionInfo| model.keymap.keys(info).first().map_or_else(String::new, Chord::to_string);
    match info.action {
        Action::VariantNext => format!("{} {}", first(Action::VariantPrevious.info()), first(info)).trim().to_owned(),
        Action::PhaseNext => format!("{} {}", first(Action::PhasePrevious.info()), first(info)).trim().to_owned(),
        _ => first(info),
    }
}
