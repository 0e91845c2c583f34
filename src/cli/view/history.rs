//! Runs, newest first, each with its variants.

use aludel_core::domain::{Phase, PromptSummary, Timestamp, write_moment};
use aludel_core::store::SessionWithPrompts;

use super::page::{Page, Role};
use super::words::{ago, count_of, one_line};
use crate::cli::shown::EscapedText;
use crate::cli::view::symbols::NONE;
use crate::cli::view::symbols::{ARROW, DOT};

/// Writes runs with their variants; ages are relative to `now`.
pub(crate) fn history(page: &mut Page, sessions: &[SessionWithPrompts<PromptSummary>], now: Timestamp) {
    for (position, SessionWithPrompts { session, prompts }) in sessions.iter().enumerate() {
        if position > 0 {
            page.gap();
        }
        let made = if page.is_terminal() { ago(now, session.created_at) } else { write_moment(session.created_at) };
        let kept = match (prompts.len() as u64, u64::from(session.count)) {
            (kept, asked) if kept == asked => count_of(asked, "variant"),
            (kept, asked) => format!("{kept} of {}", count_of(asked, "variant")),
        };
        let id = page.paint().text(Role::Heading, &session.id.short());
        let mut facts = vec![made, kept, session.persona.clone()];
        if session.phases != Phase::ALL {
            facts.push(session.phases.iter().map(|phase| phase.as_str()).collect::<Vec<_>>().join(ARROW.as_str()));
        }
        let facts = facts.join(DOT.as_str());
        let facts = page.paint().text(Role::Faint, &one_line(&facts));
        page.line(EscapedText::of_parts([id, "  ".into(), facts]));
        let input = one_line(&session.original_input);
        let input = if page.is_terminal() { super::cut(&input, page.width().saturating_sub(2)) } else { input };
        page.line(format!("  {input}"));
        for prompt in prompts {
            let id = page.paint().text(Role::Handle, &prompt.id.short());
            let score = prompt.score.map_or_else(|| format!("{NONE:>4}"), |score| format!("{score:.2}"));
            let strategy = page.paint().text(Role::Faint, &one_line(&prompt.strategy));
            let line = ["    ".into(), id, format!("  {score}  ").into(), strategy];
            page.line(EscapedText::of_parts(line).trimmed_at_the_end());
        }
    }
}
