//! Draws Compare from the model. Changes nothing.

use aludel_core::domain::CompareResult;
use ratatui::Frame;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};

use super::first_measured;
use super::layout::{Layout, layout};
use crate::tui::model::Model;
use crate::tui::model::compare::{Arrangement, ChangeKind, SideBySide};
use crate::tui::screens::chrome::{self, header, hints, pane, place, too_small};
use crate::tui::theme::{Theme, glyph};
use crate::tui::widgets::figures::{dollars, score, thousands};
use crate::tui::widgets::safe::{safe, safe_line};
use crate::tui::widgets::wrapped::Wrapped;

/// Draws the screen, without overlays.
pub(crate) fn view(model: &Model, frame: &mut Frame<'_>, theme: &Theme) {
    let area = frame.area();
    let layout = layout(model, area);
    if layout.is_tiny {
        return too_small(frame, area, theme);
    }
    header(model, layout.chrome.header, frame, theme);
    if let Some(measured) = &model.compare.measured {
        table(model, measured, layout.table, frame, theme);
    }
    figures(model, layout.figures, frame, theme);
    match &model.compare.pair {
        Some((beside, _)) => texts(model, beside, &layout, frame, theme),
        None => instead(model, layout.texts, frame, theme),
    }
    chrome::run_status(model, Vec::new(), layout.chrome.status, frame, theme);
    hints(model, layout.chrome.hints, frame, theme);
}

/// Every prompt with its measures, the two compared ones marked.
fn table(model: &Model, measured: &CompareResult, area: Rect, frame: &mut Frame<'_>, theme: &Theme) {
    if area.is_empty() {
        return;
    }
    let block = pane(Line::styled(" Measures ", theme.strong), false, theme);
    let inner = block.inner(area);
    frame.render_widget(block, area);
    // The mean first, then its components, as many as fit.
    let mut names: Vec<&String> = measured.scores.keys().filter(|name| *name != "score").collect();
    names.retain(|name| measured.scores[*name].iter().any(Option::is_some));
    let fit = usize::from(inner.width).saturating_sub(54) / 14;
    names.truncate(fit);
    let mut head = format!("   {:<10}{:>7}{:>9}{:>8}{:>10}{:>10}", "", "score", "words", "chars", "tokens", "cost");
    head.extend(names.iter().map(|name| format!("{:>14}", cut(&safe_line(name), 13))));
    let mut rows = inner.rows();
    if let Some(row) = rows.next() {
        frame.render_widget(Line::styled(head, theme.muted), row);
    }
    let value = |name: &str, at: usize| {
        let found = measured.scores.get(name).and_then(|values| values.get(at).copied().flatten());
        found.map_or_else(|| "-".to_owned(), score)
    };
    let skip = first_measured(model, inner.height);
    let below = measured.prompts.len().saturating_sub(skip + usize::from(inner.height).saturating_sub(1));
    chrome::say_hidden(frame, area, skip, below, theme);
    for (row, (at, prompt)) in rows.zip(measured.prompts.iter().enumerate().skip(skip)) {
        let chosen = model.compare.prompts.iter().position(|chosen| chosen.id == prompt.id);
        let label = chosen.map_or_else(|| prompt.id.short(), |at| model.compare.prompts[at].label.clone());
        let side = match chosen {
            Some(at) if at == model.compare.base => "L",
            Some(at) if at == model.compare.other => "R",
            _ => " ",
        };
        let size = measured.sizes.get(at);
        let (words, characters) = size.map_or((0, 0), |size| (size.words, size.characters));
        let metadata = &prompt.model_metadata;
        let mut spans = vec![
            Span::styled(format!(" {side} "), theme.key),
            Span::styled(format!("{label:<10}"), theme.strong),
            Span::styled(format!("{:>7}", value("score", at)), theme.gold),
            Span::styled(
                format!(
                    "{:>9}{:>8}{:>10}{:>10}",
                    thousands(words),
                    thousands(characters),
                    thousands(metadata.total_tokens),
                    dollars(metadata.cost_usd)
                ),
                theme.text,
            ),
        ];
        spans.extend(names.iter().map(|name| Span::styled(format!("{:>14}", value(name, at)), theme.text)));
        frame.render_widget(Line::from(spans), row);
    }
}

/// ` A ▸ B · change 2 of 5 · +9 -12 words · 81 % unchanged`.
fn figures(model: &Model, area: Rect, frame: &mut Frame<'_>, theme: &Theme) {
    let compare = &model.compare;
    let Some((base, other)) = compare.two() else { return };
    let mut spans = vec![
        Span::styled(format!(" {} ", base.label), theme.strong),
        Span::styled(glyph::FLOW, theme.muted),
        Span::styled(format!(" {}", other.label), theme.strong),
    ];
    if let Some((beside, similarity)) = &compare.pair {
        let changes = match (compare.change, beside.changes()) {
            (_, 0) => "no difference".to_owned(),
            (Some(change), all) => format!("change {} of {all}", change + 1),
            (None, 1) => "1 change".to_owned(),
            (None, all) => format!("{all} changes"),
        };
        let (came, went) = beside.words;
        spans.push(Span::styled(
            format!(" · {changes} · +{came} -{went} words · {:.0} % unchanged", similarity * 100.0),
            theme.muted,
        ));
    }
    if let Some(problem) = compare.problem.as_ref().filter(|_| compare.pair.is_some()) {
        spans.push(Span::styled(format!(" · {} {}", glyph::FAILED, safe_line(&problem.detail)), theme.bad));
    }
    if compare.asked.is_some() || compare.asked_pair.is_some() {
        spans.push(Span::styled(format!(" · {} comparing", chrome::spinner(model)), theme.live));
    }
    frame.render_widget(Line::from(spans), area);
}

fn texts(model: &Model, beside: &SideBySide, layout: &Layout, frame: &mut Frame<'_>, theme: &Theme) {
    let compare = &model.compare;
    let Some((base, other)) = compare.two() else { return };
    let height = usize::from(layout.inner().height);
    let below = beside.len().saturating_sub(compare.top + height);
    let place = place(compare.top, below);
    let titles = match layout.arrangement {
        Arrangement::SideBySide => {
            vec![format!("{} (removed: [- -])", base.label), format!("{} (added: {{+ +}})", other.label)]
        }
        Arrangement::Unified => {
            vec![format!("{} {} {}: [-removed-] {{+added+}}", base.label, glyph::FLOW, other.label)]
        }
    };
    let last = titles.len() - 1;
    for (side, (area, title)) in layout.columns().into_iter().zip(titles).enumerate() {
        let mut block = pane(Line::styled(format!(" {title} "), theme.strong), true, theme);
        if let Some(place) = place.as_ref().filter(|_| side == last) {
            block = block.title_bottom(Line::styled(place.clone(), theme.muted).right_aligned());
        }
        let inner = block.inner(area);
        frame.render_widget(block, area);
        for (y, row) in (inner.top()..inner.bottom()).zip(compare.top..beside.len()) {
            let pieces = beside.row(row);
            draw(&pieces[side], inner.x, y, inner.right(), frame.buffer_mut(), theme);
        }
    }
}

fn draw(pieces: &[(ChangeKind, &str)], mut x: u16, y: u16, right: u16, buffer: &mut Buffer, theme: &Theme) {
    for (sign, text) in pieces {
        let style: Style = match sign {
            ChangeKind::Same => theme.text,
            ChangeKind::Removed => theme.gone,
            ChangeKind::Added => theme.came,
        };
        (x, _) = buffer.set_stringn(x, y, text, right.saturating_sub(x).into(), style);
    }
}

/// The message shown without texts.
fn instead(model: &Model, area: Rect, frame: &mut Frame<'_>, theme: &Theme) {
    let block = pane(Line::styled(" Compare ", theme.strong), true, theme);
    let inner = block.inner(area);
    frame.render_widget(block, area);
    let (text, style) = match (&model.compare.problem, model.compare.prompts.is_empty()) {
        (Some(problem), _) => (format!("{} {}", glyph::FAILED, problem.detail), theme.bad),
        (None, true) => (
            model.spell(
                "Nothing is compared yet.\n\n{mark} marks a prompt, on the Workbench or in the History; {compare} compares \
                 the marked ones, word by word. Without marks it compares what the run has finished. {judge} has the judge \
                 choose among them.",
            ),
            theme.text,
        ),
        (None, false) => ("reading the prompts".to_owned(), theme.muted),
    };
    let wrapped = Wrapped::of(safe(&text), inner.width.saturating_sub(4));
    for (row, text) in inner.rows().skip(1).zip(wrapped.rows(0)) {
        frame.render_widget(Line::styled(format!("  {text}"), style), row);
    }
}

/// At most the first `most` characters.
fn cut(text: &str, most: usize) -> String {
    text.chars().take(most).collect()
}
