//! A page of prompts, one line each.

use aludel_core::domain::{ListedPrompt, PromptSummary, Timestamp, by_run, write_moment};

use textwrap::core::display_width;

use super::page::{Page, Role};
use super::table::{Column, Table};
use super::words::{ago, count_of, one_line};
use crate::cli::shown::EscapedText;
use crate::cli::view::symbols::{DOT, NEAR, NONE};

/// The mark after the id of a prompt that repeats one further up.
pub(super) fn repeat() -> String {
    format!(" {NEAR}")
}
/// The explanation of that mark.
pub(super) fn footnote() -> String {
    format!("{NEAR} nearly the same as one listed above")
}

/// How the prompts of a page are laid out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Layout {
    /// Grouped by run, below a line with the request.
    ByRun,
    /// One after the other.
    Flat,
}

impl Layout {
    /// The layout for `--flat` and without it.
    pub(crate) const fn of_flag(is_flat: bool) -> Self {
        if is_flat { Self::Flat } else { Self::ByRun }
    }
}

/// Writes prompts, a line each, grouped by run if that groups any; `now` is for ages.
pub(crate) fn list(page: &mut Page, prompts: &[ListedPrompt<PromptSummary>], layout: Layout, now: Timestamp) {
    let runs = by_run(prompts, |listed| listed.prompt.session_id);
    if layout == Layout::Flat || runs.len() == prompts.len() {
        flat(page, prompts, now);
    } else {
        for (number, run) in runs.iter().enumerate() {
            if number > 0 {
                page.gap();
            }
            head(page, &run.rows[0].prompt, run.rows.len(), now);
            for listed in &run.rows {
                variant(page, listed);
            }
        }
    }
    if prompts.iter().any(|listed| listed.near_duplicate_of.is_some()) {
        page.painted(Role::Faint, &footnote());
    }
}

/// The head of a run: `5 min ago · 3 prompts · code  Review the diff`.
pub(super) fn head(page: &mut Page, first: &PromptSummary, count: usize, now: Timestamp) {
    let made = if page.is_terminal() { ago(now, first.created_at) } else { write_moment(first.created_at) };
    let mut facts = format!("{made}{DOT}{}", count_of(count as u64, "prompt"));
    let persona = format!("{DOT}{}", one_line(&first.persona));
    let room = |facts: &str| page.width().saturating_sub(display_width(facts) + 2);
    // In little room, the request is worth more than the persona.
    if !page.is_terminal() || room(&facts) > display_width(&persona) + ENOUGH {
        facts.push_str(&persona);
    }
    let room = room(&facts);
    let input = one_line(&first.original_input);
    let input = if page.is_terminal() { super::cut(&input, room.max(NARROWEST)) } else { input };
    let paint = page.paint();
    page.line(EscapedText::of_parts([paint.text(Role::Faint, &facts), "  ".into(), paint.text(Role::Heading, &input)]));
}

/// A prompt below the head of its run: `  7a3f9c21  0.87  direct  work,rust`.
fn variant(page: &mut Page, ListedPrompt { prompt, near_duplicate_of }: &ListedPrompt<PromptSummary>) {
    let mark = if near_duplicate_of.is_some() { repeat() } else { String::new() };
    let id = page.paint().text(Role::Handle, &format!("{}{mark:<2}", prompt.id.short()));
    let score = prompt.score.map_or_else(|| format!("   {NONE}"), |score| format!("{score:.2}"));
    let strategy = one_line(&prompt.strategy);
    let facts = format!("  {score}  {strategy:<STRATEGY$}  ");
    let taken = 2 + prompt.id.short().len() + 2 + display_width(&facts);
    let tags = one_line(&tags(&prompt.tags, page.is_terminal()));
    let tags = if page.is_terminal() { super::cut(&tags, page.width().saturating_sub(taken)) } else { tags };
    let tags = page.paint().text(Role::Faint, &tags);
    let line = ["  ".into(), id, facts.into(), tags];
    page.line(EscapedText::of_parts(line).trimmed_at_the_end());
}

fn flat(page: &mut Page, prompts: &[ListedPrompt<PromptSummary>], now: Timestamp) {
    let mut table = Table::new(vec![
        Column::words("id").painted(Role::Handle),
        Column::numbers("score"),
        Column::words("made").painted(Role::Faint),
        Column::words("persona"),
        Column::words("tags").painted(Role::Faint),
        Column::words("input"),
    ]);
    for ListedPrompt { prompt, near_duplicate_of } in prompts {
        let mark = if near_duplicate_of.is_some() { repeat() } else { String::new() };
        let made = if page.is_terminal() { ago(now, prompt.created_at) } else { write_moment(prompt.created_at) };
        table.row(vec![
            format!("{}{mark}", prompt.id.short()),
            prompt.score.map_or_else(|| NONE.to_string(), |score| format!("{score:.2}")),
            made,
            prompt.persona.clone(),
            tags(&prompt.tags, page.is_terminal()),
            one_line(&prompt.original_input),
        ]);
    }
    table.write(page);
}

/// Columns of the request that are not given up for the persona.
const ENOUGH: usize = 24;

/// Least columns of the request, however long the facts before it are.
const NARROWEST: usize = 8;

/// Columns for the name of a strategy.
const STRATEGY: usize = 12;

/// Columns for tags on a terminal.
const TAGS_WIDTH: usize = 16;

fn tags(tags: &[String], is_terminal: bool) -> String {
    let all = tags.join(",");
    if is_terminal { super::cut(&all, TAGS_WIDTH) } else { all }
}

#[cfg(test)]
mod tests {
    use aludel_core::domain::SessionId;

    use super::*;
    use crate::cli::view::{Paint, samples};

    #[test]
    fn prompts_of_a_run_stand_below_what_was_asked_and_flat_says_otherwise() {
        let row = |end, run: u128, strategy, input, score| {
            let mut prompt = samples::prompt(end, 0, strategy, "text", score);
            prompt.original_input = str::to_owned(input);
            prompt.session_id = SessionId(uuid::Uuid::from_u128(run));
            ListedPrompt { prompt: prompt.into(), near_duplicate_of: None }
        };
        let rows = [
            row("7a3f9c21", 1, "direct", "Announce the move.", 0.74),
            row("11111111", 2, "stepwise", "Review\nthe diff.", 0.81),
            row("5e0b44d9", 1, "structured", "Announce the move.", 0.7),
        ];
        let shown = |rows: &[ListedPrompt<PromptSummary>], layout, is_terminal, width| {
            let mut page = Page::new(Paint::Plain, width, is_terminal);
            list(&mut page, rows, layout, "2026-11-21T12:00:00Z".parse().unwrap());
            String::from(page.finish())
        };
        insta::assert_snapshot!(shown(&rows, Layout::ByRun, false, 80));
        let flat = shown(&rows, Layout::Flat, false, 80);
        assert_eq!((flat.matches("Announce the move.").count(), flat.lines().count()), (2, 4), "{flat}");
        let own = shown(&rows[..2], Layout::ByRun, false, 80);
        assert_eq!(own, shown(&rows[..2], Layout::Flat, false, 80), "a run each: nothing is put together");
        let narrow = shown(&rows, Layout::ByRun, true, 44);
        assert!(narrow.lines().all(|line| line.chars().count() <= 44), "{narrow}");
    }

    #[test]
    fn a_repeat_is_marked_and_explained_below() {
        let prompt = |end| PromptSummary::from(samples::prompt(end, 0, "direct", "Announce the move.", 0.74));
        let first = ListedPrompt { prompt: prompt("7a3f9c21"), near_duplicate_of: None };
        let second = ListedPrompt { prompt: prompt("5e0b44d9"), near_duplicate_of: Some(first.prompt.id) };
        let shown = |rows: &[ListedPrompt<PromptSummary>]| {
            let mut page = Page::new(Paint::Plain, 80, false);
            list(&mut page, rows, Layout::Flat, "2026-11-21T12:00:00Z".parse().unwrap());
            String::from(page.finish())
        };
        let both = shown(&[first.clone(), second]);
        assert!(both.contains("5e0b44d9 ≈") && !both.contains("7a3f9c21 ≈"), "{both}");
        assert!(both.ends_with(&format!("{}\n", footnote())));
        assert!(!shown(&[first]).contains('≈'));
    }
}
