//! A page of prompts, a line each.

use aludel_core::domain::{Prompt, Timestamp, write_moment};

use super::page::{Page, Role};
use super::table::{Column, Table};
use super::words::{ago, one_line};

/// Writes prompts, a line each; `now` is what ages count from.
pub(crate) fn list(page: &mut Page, prompts: &[Prompt], now: Timestamp) {
    let mut table = Table::new(vec![
        Column::words("id").painted(Role::Handle),
        Column::numbers("score"),
        Column::words("made").painted(Role::Faint),
        Column::words("persona"),
        Column::words("tags").painted(Role::Faint),
        Column::words("input"),
    ]);
    for prompt in prompts {
        let made = if page.is_terminal() { ago(now, prompt.created_at) } else { write_moment(prompt.created_at) };
        table.row(vec![
            prompt.id.short(),
            prompt.score.map_or_else(|| "—".into(), |score| format!("{score:.2}")),
            made,
            prompt.persona.clone(),
            tags(&prompt.tags, page.is_terminal()),
            one_line(&prompt.original_input),
        ]);
    }
    table.write(page);
}

/// Columns for tags on a terminal.
const TAGS_WIDTH: usize = 16;

fn tags(tags: &[String], is_terminal: bool) -> String {
    let all = tags.join(",");
    if is_terminal { super::cut(&all, TAGS_WIDTH) } else { all }
}
