//! A box for typing a text that is sent to the core. If the core refuses it, the box shows why.

use aludel_core::error::Code;
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::Line;

use super::{centred, open_box};
use crate::tui::action::Action;
use crate::tui::effect::Effect;
use crate::tui::keymap::Chord;
use crate::tui::model::jobs::Checking;
use crate::tui::model::{About, Asking, Model, Overlay, Stage};
use crate::tui::screens::chrome::{cut_top, inner, place, spinner};
use crate::tui::screens::history;
use crate::tui::screens::jobs::{resuming, starting};
use crate::tui::theme::{Theme, glyph};
use crate::tui::widgets::cells;
use crate::tui::widgets::safe::safe;
use crate::tui::widgets::wrapped::Wrapped;

/// Most rows of the result.
const SAID: u16 = 6;
/// Most rows of the faults of a file.
const FAULTS: u16 = 14;

/// The question before an export.
const EXPORT: &str = "a file: .json .jsonl .csv .yaml, to be imported again; .md, to be read";

/// The keys of a box; the last one closes it.
pub(super) fn key(model: &mut Model, chord: Chord, action: Option<Action>) -> Vec<Effect> {
    let Some(Overlay::Ask(asking)) = &mut model.overlay else { return Vec::new() };
    match asking.stage {
        Stage::Waiting(_) => return Vec::new(),
        Stage::Answered(_) if action == Some(Action::Results) => {
            model.overlay = None;
            return Vec::new();
        }
        _ => {}
    }
    match (action, chord.typed()) {
        // Enter sends a single line; several lines need the key that starts a run.
        (Some(Action::Results | Action::Run), _) => return submit(model),
        (Some(action), _) => _ = asking.field.act(action),
        (None, Some(character)) => asking.field.insert(character),
        (None, None) => return Vec::new(),
    }
    if let Some(Overlay::Ask(asking)) = &mut model.overlay {
        asking.stage = Stage::Typing;
    }
    Vec::new()
}

/// Pastes like typing: an earlier question or refusal is cleared. Ignored while a text is stored.
pub(super) fn paste(asking: &mut Asking, text: &str) {
    if !matches!(asking.stage, Stage::Waiting(_)) {
        asking.field.paste(text);
        asking.stage = Stage::Typing;
    }
}

/// Sends what was typed to the core.
fn submit(model: &mut Model) -> Vec<Effect> {
    match &model.overlay {
        Some(Overlay::Ask(asking)) if asking.about == About::Batch => starting::submit(model),
        Some(Overlay::Ask(asking)) if matches!(asking.about, About::Cap(..)) => resuming::submit(model),
        _ => history::submit(model),
    }
}

/// The areas of the box and of the field in it, below the row with the question.
fn areas(asking: &Asking, screen: Rect) -> (Rect, Rect) {
    let height = match asking.about {
        About::Tags(..) | About::Export(_) | About::Import | About::Batch | About::Cap(..) => 1,
        About::Notes(..) | About::Task => 8,
    };
    let said = match asking.about {
        About::Batch if matches!(asking.stage, Stage::Refused(_)) => FAULTS,
        _ if asking.about.is_file() => SAID,
        _ => SAID / 2,
    };
    // The hints below the box stay in sight.
    let area = centred(screen, 72, (height + said + 4).min(screen.height.saturating_sub(2)));
    let mut inner = inner(area);
    inner = Rect { x: inner.x + 1, width: inner.width.saturating_sub(2), ..inner };
    cut_top(&mut inner, 1);
    (area, cut_top(&mut inner, height))
}

/// Rewraps the field.
pub(super) fn reflow(asking: &mut Asking, screen: Rect) {
    let (_, field) = areas(asking, screen);
    asking.field.reflow(field);
}

pub(super) fn view(model: &Model, asking: &Asking, frame: &mut Frame<'_>, theme: &Theme) {
    let (title, label) = match &asking.about {
        About::Tags(id, _) => (format!("Tags of {}", id.short()), "labels, by commas; empty removes all"),
        About::Notes(id, _) => (format!("Notes on {}", id.short()), "your own remarks; empty removes them"),
        About::Export(filters) if filters.is_empty() => ("Export everything".to_owned(), EXPORT),
        About::Export(_) => ("Export what is listed".to_owned(), EXPORT),
        About::Task => ("Judge them for".to_owned(), "the task; empty: their original request"),
        About::Import => ("Import".to_owned(), "a file: .json .jsonl .csv .yaml"),
        About::Cap(id, "max_calls") => {
            (format!("Resume {}", id.short()), "the most calls that all its rows can take, those made included")
        }
        About::Cap(id, _) => {
            (format!("Resume {}", id.short()), "its new budget in US dollars, what was spent included")
        }
        About::Batch => {
            ("New batch".to_owned(), "a file with a request a row: .jsonl .json .csv .yaml, or a line each")
        }
    };
    let (area, field) = areas(asking, frame.area());
    let within = open_box(frame, area, &title, theme);
    let mut below = Rect { y: field.bottom(), height: within.bottom().saturating_sub(field.bottom()), ..field };
    let mut row = || cut_top(&mut below, 1);
    let above = Rect { y: within.y, height: 1, ..field };
    frame.render_widget(Line::styled(label, theme.muted), above.intersection(within));
    frame.render_widget(asking.field.area(), field);
    if field.is_empty() {
        return;
    }
    let (column, line) = asking.field.cursor_on_screen();
    let x = field.x.saturating_add(cells(column)).min(field.right() - 1);
    let y = field.y.saturating_add(cells(line)).min(field.bottom() - 1);
    frame.set_cursor_position((x, y));
    let (above, hidden) = asking.field.hidden(field.height);
    let between = row();
    if let Some(place) = place(above, hidden) {
        frame.render_widget(Line::styled(place, theme.muted).right_aligned(), between);
    }
    let mut say = |text: &str, style: Style| {
        for text in Wrapped::of(safe(text), field.width).rows(0) {
            frame.render_widget(Line::styled(text.to_owned(), style), row());
        }
    };
    match &asking.stage {
        Stage::Typing => {}
        Stage::Leaving => say("this is not saved: Esc again discards it, any other key goes on", theme.warning),
        Stage::Waiting(_) => {
            let transfer = model.history.transfer.map(|transfer| transfer.told());
            let told = match asking.about {
                About::Batch => model.jobs.checking.map(Checking::told),
                About::Cap(..) => Some("resuming it".to_owned()),
                _ => transfer,
            };
            let told = told.unwrap_or_else(|| "saving".to_owned());
            say(&format!("{} {told}", spinner(model)), theme.live);
        }
        Stage::Answered(lines) => {
            for (line, style) in lines.iter().zip([theme.good].into_iter().chain(std::iter::repeat(theme.text))) {
                say(line, style);
            }
        }
        // Sending again would replace the file, so this is a question.
        Stage::Refused(problem) if problem.code == Code::Conflict && matches!(asking.about, About::Export(_)) => {
            say(&format!("{} {}", glyph::ASKS, problem.detail), theme.warning);
        }
        Stage::Refused(problem) if problem.errors.is_empty() => {
            say(&format!("{} {}", glyph::FAILED, problem.detail), theme.bad);
        }
        Stage::Refused(problem) => {
            for fault in &problem.errors {
                say(&format!("{} {fault}", glyph::FAILED), theme.bad);
            }
        }
    }
}
