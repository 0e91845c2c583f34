//! The input and, on large screens, the settings of the next run.

use aludel_core::domain::limits;
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::pane;
use crate::tui::model::settings::Field;
use crate::tui::model::{Focus, Model, Settings};
use crate::tui::screens::chrome::place;
use crate::tui::screens::workbench::layout::{Layout, SizeClass};
use crate::tui::theme::Theme;
use crate::tui::widgets::cells;
use crate::tui::widgets::figures::thousands;
use crate::tui::widgets::safe::safe_line;

/// The placeholder of an empty input.
const INVITATION: [&str; 2] = [
    "Describe what the prompt should do: task, audience, limits, format.",
    "{run} turns it into prompts, {newline} starts a new line.",
];

/// The placeholder while keys are commands.
const COMMANDED: [&str; 2] = [INVITATION[0], "{run} turns it into prompts, i starts typing."];

pub(super) fn view(model: &Model, layout: &Layout, frame: &mut Frame<'_>, theme: &Theme) {
    let area = layout.composer;
    if area.is_empty() {
        return;
    }
    let focused = model.focus == Focus::Composer;
    let mut block = pane(title(model, layout.room, theme), focused, theme);
    if let Some(count) = count(model, theme) {
        block = block.title_bottom(count.right_aligned());
    }
    let inner = block.inner(area);
    if inner.is_empty() {
        frame.render_widget(block, area);
        return;
    }
    if model.composer.is_empty() {
        let invitation = if model.composer.is_commanded() { COMMANDED } else { INVITATION };
        for (row, text) in inner.rows().zip(invitation) {
            frame.render_widget(Line::styled(model.spell(text), theme.muted), row);
        }
    } else {
        frame.render_widget(model.composer.area(), inner);
        // The hidden rows are known only after the text was drawn.
        let (above, below) = model.composer.hidden(inner.height);
        if let Some(place) = place(above, below) {
            block = block.title_bottom(Line::styled(place, theme.muted).right_aligned());
        }
    }
    frame.render_widget(block, area);
    if focused && model.overlay.is_none() {
        let (column, row) = if model.composer.is_empty() { (0, 0) } else { model.composer.cursor_on_screen() };
        let x = inner.x.saturating_add(cells(column)).min(inner.right() - 1);
        let y = inner.y.saturating_add(cells(row)).min(inner.bottom() - 1);
        frame.set_cursor_position((x, y));
    }
}

/// ` Request · persona code · 3 variants · T 0.7 · F2 `, with fewer parts if space is short.
fn title(model: &Model, room: SizeClass, theme: &Theme) -> Line<'static> {
    let settings = &model.settings;
    let mut said = vec![Span::styled(" Request ", theme.strong)];
    let is_alone = room == SizeClass::Large && !model.zoom;
    if let Some(mode) = model.composer.mode() {
        let typed = model.composer.typed_so_far();
        let gap = if typed.is_empty() { "" } else { " " };
        said.push(Span::styled(format!("{mode}{gap}{typed} "), theme.key));
        said.extend((!is_alone).then(|| Span::styled("· ", theme.muted)));
    }
    if is_alone {
        return Line::from(said);
    }
    let count = settings.count();
    let mut parts = vec![
        format!("persona {}", safe_line(settings.persona())),
        format!("{count} {}", if count == 1 { "variant" } else { "variants" }),
    ];
    if settings.phases().len() < 3 {
        let names: Vec<&str> = settings.phases().iter().map(|phase| phase.as_str()).collect();
        parts.push(if names.is_empty() { "no phase".to_owned() } else { names.join(" ▸ ") });
    }
    if settings.shown(Field::Temperature).1 || room == SizeClass::Medium {
        parts.push(format!("T {:.1}", settings.temperature()));
    }
    if let Some(provider) = settings.provider() {
        parts.push(safe_line(provider));
    }
    parts.push(model.spell("{run-settings} "));
    said.push(Span::styled(parts.join(" · "), theme.muted));
    Line::from(said)
}

/// The number of characters, from a size worth knowing on; in the error style past the limit.
fn count(model: &Model, theme: &Theme) -> Option<Line<'static>> {
    let characters = model.composer.characters();
    if characters > limits::TEXT_CHARS {
        let text = format!(" {} of {} characters ", thousands(characters as u64), thousands(limits::TEXT_CHARS as u64));
        return Some(Line::styled(text, theme.bad));
    }
    let worth_telling = characters >= 1_000 || model.composer.lines() > 20;
    worth_telling.then(|| Line::styled(format!(" {} characters ", thousands(characters as u64)), theme.muted))
}

pub(super) fn settings(model: &Model, area: Rect, frame: &mut Frame<'_>, theme: &Theme) {
    if area.is_empty() {
        return;
    }
    let block = pane(Line::styled(" Next run ", theme.strong), false, theme)
        .title_bottom(Line::styled(model.spell(" {run-settings} changes "), theme.muted).right_aligned());
    let inner = block.inner(area);
    frame.render_widget(block, area);
    for (row, field) in inner.rows().zip(Field::ALL) {
        frame.render_widget(setting(&model.settings, field, theme), row);
    }
}

/// A setting of the next run as a row: name, value, and a mark where the user chose it.
pub(crate) fn setting(settings: &Settings, field: Field, theme: &Theme) -> Line<'static> {
    let (value, chosen) = settings.shown(field);
    let name_style = match field {
        Field::Phase(phase) => theme.phase(phase),
        _ => theme.muted,
    };
    Line::from(vec![
        Span::styled(format!(" {:<15}", field.name()), name_style),
        Span::styled(format!("{value:<20}"), if chosen { theme.strong } else { theme.text }),
        Span::styled(if chosen { "yours" } else { "" }, theme.muted),
    ])
}
