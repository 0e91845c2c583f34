//! The state of each phase of each variant, as a table or as two strips; and the ranking.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::{mark, pane, state_of};
use crate::tui::model::{LiveRun, Model, PhasePane};
use crate::tui::screens::chrome::say_hidden;
use crate::tui::screens::workbench::layout::{table_columns, window};
use crate::tui::theme::{Theme, glyph};
use crate::tui::widgets::figures::{bar, duration, letter, score, thousands, tokens};
use crate::tui::widgets::safe::safe_line;

/// The table: a row per variant, a column per phase, and the rank.
pub(super) fn table(model: &Model, run: &LiveRun, area: Rect, frame: &mut Frame<'_>, theme: &Theme) {
    if area.is_empty() {
        return;
    }
    let block = pane(Line::styled(" Pipeline ", theme.strong), false, theme);
    let inner = block.inner(area);
    frame.render_widget(block, area);
    let phases = run.view.phases.len();
    let (column, result) = table_columns(run, area);
    let mut rows = inner.rows();
    if let Some(row) = rows.next() {
        let mut spans = vec![Span::raw("    ")];
        for phase in &run.view.phases {
            let name = phase.as_str();
            let gloss = format!(" · {}", phase.gloss());
            // One column stays free before the next name.
            let gloss = if name.len() + gloss.chars().count() < column { gloss } else { String::new() };
            spans.push(Span::styled(name, theme.phase(*phase)));
            spans.push(Span::styled(format!("{gloss:<0$}", column.saturating_sub(name.len())), theme.muted));
        }
        if result > 0 {
            spans.push(Span::styled("score", theme.muted));
        }
        frame.render_widget(Line::from(spans), row);
    }
    let (first, count) = window(run.active, run.variants(), u32::from(inner.height.saturating_sub(1)));
    say_hidden(frame, area, first as usize, (run.variants() - first - count) as usize, theme);
    for (row, variant) in rows.zip(first..first + count) {
        let active = variant == run.active;
        let name = format!("{}{:<3}", if active { glyph::FLOW } else { " " }, letter(variant));
        let mut spans = vec![Span::styled(name, if active { theme.strong } else { theme.text })];
        for phase in 0..phases {
            spans.extend(cell(model, run, variant, phase, column, theme));
        }
        if result > 0 {
            spans.extend(place(model, run, variant, theme));
        }
        frame.render_widget(Line::from(spans), row);
    }
}

/// One phase in the table: its state, its figures, and a line to the next phase.
fn cell(model: &Model, run: &LiveRun, variant: u32, phase: usize, width: usize, theme: &Theme) -> [Span<'static>; 3] {
    let phase_pane = run.phase_pane(variant, phase);
    let (glyph, style) = mark(model, phase_pane, theme);
    let pane = run.pane(variant, phase);
    let said = match phase_pane {
        PhasePane::Queued => "queued".to_owned(),
        PhasePane::Earlier => "earlier".to_owned(),
        PhasePane::Connecting => "waiting".to_owned(),
        PhasePane::Streaming => pane.map_or_else(String::new, |pane| {
            if width >= 28 {
                format!("{} {}/s", tokens(pane.tokens, true), pane.speed)
            } else {
                tokens(pane.tokens, true)
            }
        }),
        PhasePane::Retrying { attempt, .. } => format!("attempt {attempt}"),
        PhasePane::Done(metadata) => {
            let count = tokens(metadata.output_tokens, metadata.estimated);
            if width >= 24 { format!("{count} {}", duration(metadata.latency_ms)) } else { count }
        }
        PhasePane::Failed(problem) if width >= 30 => safe_line(&problem.title),
        PhasePane::Failed(_) => "failed".to_owned(),
        PhasePane::Stopped => "stopped".to_owned(),
        PhasePane::NotReached => "not reached".to_owned(),
    };
    let said: String = said.chars().take(width.saturating_sub(3)).collect();
    let last = phase + 1 == run.view.phases.len();
    let room = width.saturating_sub(said.chars().count() + 3);
    let flows = run.begun(variant, phase + 1).is_some();
    let line = match (last, flows, room) {
        (true, ..) | (_, _, 0..4) => " ".repeat(room),
        (_, true, _) => format!("{}{} ", "─".repeat(room - 2), self::glyph::FLOW),
        (_, false, _) => format!("{}  ", "┄".repeat(room - 2)),
    };
    [
        Span::styled(format!("{glyph} "), style),
        Span::styled(format!("{said} "), theme.text),
        Span::styled(line, theme.border),
    ]
}

/// The rank of a variant: `★ 0.87` for the best, `2 0.81` for the next.
fn place(model: &Model, run: &LiveRun, variant: u32, theme: &Theme) -> Vec<Span<'static>> {
    let Some(ranking) = run.ranking(variant) else { return Vec::new() };
    let best = ranking.rank == 1;
    vec![
        Span::styled(score(ranking.score), if best { theme.gold } else { theme.text }),
        Span::styled(
            if best {
                format!(" {} {}", glyph::BEST, super::first_place(model, run))
            } else {
                format!(" #{}", ranking.rank)
            },
            if best { theme.gold } else { theme.muted },
        ),
    ]
}

/// The two strips: the progress of each phase over all variants, and of each variant.
pub(super) fn strips(model: &Model, run: &LiveRun, area: Rect, frame: &mut Frame<'_>, theme: &Theme) {
    let mut rows = area.rows();
    if let Some(row) = rows.next() {
        frame.render_widget(phase_strip(model, run, theme), row);
    }
    if let Some(row) = rows.next() {
        frame.render_widget(variant_strip(model, run, usize::from(row.width), theme), row);
    }
}

fn phase_strip(model: &Model, run: &LiveRun, theme: &Theme) -> Line<'static> {
    let mut spans = vec![Span::raw(" ")];
    for (index, phase) in run.view.phases.iter().enumerate() {
        if index > 0 {
            spans.push(Span::styled(format!("  {}  ", glyph::FLOW), theme.muted));
        }
        let states = (0..run.variants()).map(|variant| run.phase_pane(variant, index));
        let (done, begun) = states.fold((0, false), |(done, begun), state| {
            (
                done + u32::from(matches!(state, PhasePane::Done(_) | PhasePane::Earlier)),
                begun || !matches!(state, PhasePane::Queued | PhasePane::Stopped | PhasePane::NotReached),
            )
        });
        let all = run.variants();
        let (glyph, style) = match () {
            () if done == all => (glyph::DONE, theme.good),
            () if begun && run.is_live() => (super::spinner(model), theme.live),
            () if run.is_live() => (glyph::QUEUED, theme.muted),
            () if done > 0 => (glyph::DONE, theme.warning),
            () => (glyph::STOPPED, theme.warning),
        };
        spans.push(Span::styled(format!("{glyph} "), style));
        spans.push(Span::styled(phase.as_str(), theme.phase(*phase)));
        spans.push(Span::styled(format!(" {done}/{all}"), theme.muted));
    }
    Line::from(spans)
}

/// All variants in a row, the active one in brackets; arrows stand for those that do not fit.
fn variant_strip(model: &Model, run: &LiveRun, width: usize, theme: &Theme) -> Line<'static> {
    let items: Vec<(String, &'static str, ratatui::style::Style, String)> = (0..run.variants())
        .map(|variant| {
            let state = state_of(run, variant);
            let (glyph, style) = mark(model, state, theme);
            (letter(variant), glyph, style, brief(model, run, variant, state))
        })
        .collect();
    let length = |item: &(String, &str, ratatui::style::Style, String)| item.0.len() + item.3.chars().count() + 6;
    let widest = items.iter().map(length).max().unwrap_or(1);
    let fit = u32::try_from(width.saturating_sub(4) / widest).unwrap_or(1);
    let (first, count) = window(run.active, run.variants(), fit);
    let mut spans = vec![Span::styled(if first > 0 { "‹" } else { " " }, theme.muted)];
    for (variant, (name, glyph, style, said)) in (0..).zip(items).skip(first as usize).take(count as usize) {
        let (open, close) = if variant == run.active { ("[", "]") } else { (" ", " ") };
        let name_style = if variant == run.active { theme.strong } else { theme.text };
        spans.push(Span::styled(format!("{open}{name} "), name_style));
        spans.push(Span::styled(format!("{glyph} "), style));
        spans.push(Span::styled(said, theme.text));
        spans.push(Span::styled(format!("{close} "), name_style));
    }
    if first + count < run.variants() {
        spans.push(Span::styled("›", theme.muted));
    }
    Line::from(spans)
}

/// The most important fact about a variant.
fn brief(model: &Model, run: &LiveRun, variant: u32, state: PhasePane<'_>) -> String {
    if let Some(ranking) = run.ranking(variant) {
        let best = if ranking.rank == 1 {
            format!(" {} {}", glyph::BEST, super::first_place(model, run))
        } else {
            String::new()
        };
        return format!("{}{best}", score(ranking.score));
    }
    match state {
        PhasePane::Streaming => {
            let pane = run.pane(variant, run.newest_phase(variant));
            tokens(pane.map_or(0, |pane| pane.tokens), true)
        }
        PhasePane::Done(metadata) => tokens(metadata.output_tokens, metadata.estimated),
        PhasePane::Queued => "queued".to_owned(),
        PhasePane::Earlier => "earlier".to_owned(),
        PhasePane::Connecting => "waiting".to_owned(),
        PhasePane::Retrying { attempt, .. } => format!("attempt {attempt}"),
        PhasePane::Failed(_) => "failed".to_owned(),
        PhasePane::Stopped => "stopped".to_owned(),
        PhasePane::NotReached => "not reached".to_owned(),
    }
}

/// The ranking, best first, with a bar for each score.
pub(super) fn ranking(model: &Model, run: &LiveRun, area: Rect, frame: &mut Frame<'_>, theme: &Theme) {
    if area.is_empty() {
        return;
    }
    let block = pane(Line::styled(" Ranking ", theme.strong), false, theme)
        .title_bottom(Line::styled(model.spell(" {details} shows the score breakdown "), theme.muted).right_aligned());
    let inner = block.inner(area);
    frame.render_widget(block, area);
    let mut order: Vec<(u32, &aludel_core::domain::Ranking)> =
        (0..run.variants()).filter_map(|variant| Some((variant, run.ranking(variant)?))).collect();
    order.sort_by_key(|(_, ranking)| ranking.rank);
    for (row, (variant, ranking)) in inner.rows().zip(order) {
        let best = ranking.rank == 1;
        let style = if best { theme.gold } else { theme.text };
        let spent = run.prompt(variant).map_or(0, |prompt| prompt.model_metadata.total_tokens);
        let width = usize::from(row.width).saturating_sub(32);
        let (full, rest) = bar(ranking.score, width);
        frame.render_widget(
            Line::from(vec![
                Span::styled(format!(" {} {:<3}", if best { glyph::BEST } else { " " }, letter(variant)), style),
                Span::styled(format!("{} ", score(ranking.score)), style),
                Span::styled(full, theme.gold),
                Span::styled(rest, theme.muted),
                Span::styled(format!("{:>12} tok", thousands(spent)), theme.muted),
            ]),
            row,
        );
    }
}
