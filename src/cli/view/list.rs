//! A page of prompts, a line each.

use aludel_core::domain::{ListedPrompt, Timestamp, write_moment};

use super::page::{Page, Role};
use super::table::{Column, Table};
use super::words::{ago, one_line};
use crate::cli::view::ornament::NEAR;
use crate::cli::view::ornament::NONE;

/// Stands behind the id of a prompt that repeats one further up.
pub(super) fn repeat() -> String {
    format!(" {NEAR}")
}
/// What it means.
pub(super) fn footnote() -> String {
    format!("{NEAR} nearly the same text as a prompt listed above it")
}

/// Writes prompts, a line each; `now` is what ages count from.
pub(crate) fn list(page: &mut Page, prompts: &[ListedPrompt], now: Timestamp) {
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
    if prompts.iter().any(|listed| listed.near_duplicate_of.is_some()) {
        page.painted(Role::Faint, &footnote());
    }
}

/// Columns for tags on a terminal.
const TAGS_WIDTH: usize = 16;

fn tags(tags: &[String], is_terminal: bool) -> String {
    let all = tags.join(",");
    if is_terminal { super::cut(&all, TAGS_WIDTH) } else { all }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::view::{Paint, samples};

    #[test]
    fn a_repeat_is_marked_and_explained_below() {
        let prompt = |end| samples::prompt(end, 0, "direct", "Announce the move.", 0.74);
        let first = ListedPrompt { prompt: prompt("7a3f9c21"), near_duplicate_of: None };
        let second = ListedPrompt { prompt: prompt("5e0b44d9"), near_duplicate_of: Some(first.prompt.id) };
        let shown = |rows: &[ListedPrompt]| {
            let mut page = Page::new(Paint::Plain, 80, false);
            list(&mut page, rows, "2026-11-21T12:00:00Z".parse().unwrap());
            String::from(page.finish())
        };
        let both = shown(&[first.clone(), second]);
        assert!(both.contains("5e0b44d9 ≈") && !both.contains("7a3f9c21 ≈"), "{both}");
        assert!(both.ends_with(&format!("{}\n", footnote())));
        assert!(!shown(&[first]).contains('≈'));
    }
}
