//! Deleted prompts, the last deleted first.

use aludel_core::domain::{Timestamp, write_moment};
use aludel_core::engine::TrashPage;

use super::page::{Page, Role};
use super::words::{ago, one_line};
use crate::cli::shown::EscapedText;

/// Writes a line for each; ages are relative to `now`.
pub(crate) fn trash(page: &mut Page, trash: &TrashPage, now: Timestamp) {
    for trashed in &trash.prompts {
        let id = page.paint().text(Role::Handle, &trashed.prompt.id.short());
        let deleted = if page.is_terminal() { ago(now, trashed.deleted_at) } else { write_moment(trashed.deleted_at) };
        let deleted_shown = page.paint().text(Role::Faint, &deleted);
        let input = one_line(&trashed.prompt.original_input);
        let taken = trashed.prompt.id.short().chars().count() + deleted.chars().count() + 4;
        let input = if page.is_terminal() { super::cut(&input, page.width().saturating_sub(taken)) } else { input };
        page.line(EscapedText::of_parts([id, "  ".into(), deleted_shown, "  ".into(), input.into()]));
    }
}
