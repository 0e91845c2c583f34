//! Search results: a line for each prompt, and below it the matching passage.

use aludel_core::domain::{FoundPrompt, Match, MatchKind, PromptSummary, Timestamp, by_run, write_moment};
use aludel_core::text::shown::{Piece, Pieces, escape};

use super::list::{Layout, footnote, head, repeat};
use super::page::{Page, Role, broken};
use super::symbols::{MORE, is_ascii};
use super::words::{ago, one_line};
use crate::cli::shown::EscapedText;

/// Columns before a passage.
const INDENT: usize = 2;

/// Writes results, best first, or grouped by run; ages are relative to `now`.
pub(crate) fn found(page: &mut Page, found: &[FoundPrompt<PromptSummary>], layout: Layout, now: Timestamp) {
    let runs = by_run(found, |found| found.prompt.session_id);
    if layout == Layout::Flat || runs.len() == found.len() {
        flat(page, found, now);
    } else {
        for (number, run) in runs.iter().enumerate() {
            if number > 0 {
                page.gap();
            }
            head(page, &run.rows[0].prompt, run.rows.len(), now);
            for found in &run.rows {
                variant(page, found);
            }
        }
    }
    if found.iter().any(|found| found.near_duplicate_of.is_some()) {
        page.gap();
        page.painted(Role::Faint, &footnote());
    }
}

/// A prompt below the head of its run, and its matching passage.
fn variant(page: &mut Page, FoundPrompt { prompt, matched, near_duplicate_of }: &FoundPrompt<PromptSummary>) {
    let mark = if near_duplicate_of.is_some() { repeat() } else { String::new() };
    let id = format!("{}{mark}", prompt.id.short());
    let mut facts = matched_by(matched);
    for more in [&prompt.strategy, &prompt.tags.join(",")] {
        if !more.is_empty() {
            facts.extend(["  ", &one_line(more)]);
        }
    }
    let width = page.width().saturating_sub(INDENT + textwrap::core::display_width(&id) + 2);
    let facts = if page.is_terminal() { super::cut(&facts, width) } else { facts };
    let paint = page.paint();
    let parts = ["  ".into(), paint.text(Role::Handle, &id), "  ".into(), paint.text(Role::Faint, &facts)];
    page.line(EscapedText::of_parts(parts));
    piece(page, &matched.snippet, &matched.marks, 2 * INDENT);
}

fn flat(page: &mut Page, found: &[FoundPrompt<PromptSummary>], now: Timestamp) {
    for (number, FoundPrompt { prompt, matched, near_duplicate_of }) in found.iter().enumerate() {
        if number > 0 {
            page.gap();
        }
        let made = if page.is_terminal() { ago(now, prompt.created_at) } else { write_moment(prompt.created_at) };
        let mut facts = format!("{}  {made}  {}", matched_by(matched), one_line(&prompt.persona));
        if !prompt.tags.is_empty() {
            facts.extend(["  ", &one_line(&prompt.tags.join(","))]);
        }
        let mark = if near_duplicate_of.is_some() { repeat() } else { String::new() };
        let head = format!("{}{mark}", prompt.id.short());
        let width = page.width().saturating_sub(textwrap::core::display_width(&head) + 2);
        let facts = if page.is_terminal() { super::cut(&facts, width) } else { facts };
        let paint = page.paint();
        page.line(EscapedText::of_parts([
            paint.text(Role::Handle, &head),
            "  ".into(),
            paint.text(Role::Faint, &facts),
        ]));
        let input = one_line(&prompt.original_input);
        let most = page.width().saturating_sub(INDENT);
        page.line(format!("  {}", if page.is_terminal() { super::cut(&input, most) } else { input }));
        piece(page, &matched.snippet, &matched.marks, INDENT);
    }
}

/// How a prompt was found. The similarity of meaning is an absolute figure; the other scores only
/// give the order, which the page shows.
pub(super) fn matched_by(matched: &Match) -> String {
    match matched.kind {
        MatchKind::Text => "words".to_owned(),
        MatchKind::Semantic if matched.far => format!("meaning {:.2}, far", matched.score),
        MatchKind::Semantic => format!("meaning {:.2}", matched.score),
        MatchKind::Hybrid => "words and meaning".to_owned(),
    }
}

/// A passage with the matches in bold, indented by `indent` columns.
fn piece(page: &mut Page, snippet: &str, marks: &[(u32, u32)], indent: usize) {
    // Marks count characters of the snippet; hidden characters are shown as several.
    let mut shown = shown_with_marks(snippet, marks);
    if is_ascii() {
        // If the passage begins or ends inside the text, the core marks that with an ellipsis.
        let more = MORE.as_str().chars().map(|sign| (sign, false));
        if shown.last().is_some_and(|(last, _)| *last == '…') {
            shown.splice(shown.len() - 1.., more.clone());
        }
        if shown.first().is_some_and(|(first, _)| *first == '…') {
            shown.splice(..1, more);
        }
    }
    let text: String = shown.iter().map(|(character, _)| character).collect();
    let width = page.width().saturating_sub(indent);
    let margin = " ".repeat(indent);
    let lines = if page.is_terminal() { broken(&text, width, 0) } else { vec![text] };
    let mut rest = shown.into_iter().peekable();
    for line in lines {
        let (mut parts, mut run, mut is_bold) = (vec![EscapedText::from(margin.as_str())], String::new(), false);
        for wanted in line.chars() {
            // Wrapping only removes blanks.
            while rest.next_if(|(character, _)| *character != wanted).is_some() {}
            let Some((character, is_marked)) = rest.next() else { break };
            if is_marked != is_bold {
                parts.push(emphasised(page, &mut run, is_bold));
                is_bold = is_marked;
            }
            run.push(character);
        }
        parts.push(emphasised(page, &mut run, is_bold));
        page.line(EscapedText::of_parts(parts));
    }
}

/// The characters to show, each with whether it matched.
fn shown_with_marks(snippet: &str, marks: &[(u32, u32)]) -> Vec<(char, bool)> {
    let is_marked = |place: usize| marks.iter().any(|(from, to)| (*from as usize..*to as usize).contains(&place));
    let mut shown = Vec::with_capacity(snippet.len());
    let mut place = 0;
    for piece in Pieces::of(snippet) {
        match piece {
            Piece::Text(text) => {
                for character in text.chars() {
                    shown.push((character, is_marked(place)));
                    place += 1;
                }
            }
            Piece::Hidden(hidden) => {
                shown.extend(escape(hidden.encode_utf8(&mut [0; 4])).chars().map(|c| (c, is_marked(place))));
                place += 1;
            }
        }
    }
    shown
}

/// Takes the collected text, in bold or not.
fn emphasised(page: &Page, run: &mut String, is_bold: bool) -> EscapedText {
    let role = if is_bold { Role::Heading } else { Role::Body };
    let taken = std::mem::take(run);
    if taken.is_empty() { EscapedText::default() } else { page.paint().text(role, &taken) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::view::{Paint, samples};

    fn page(paint: Paint, width: usize, is_terminal: bool, found_prompts: &[FoundPrompt<PromptSummary>]) -> String {
        let mut page = Page::new(paint, width, is_terminal);
        found(&mut page, found_prompts, Layout::ByRun, "2026-11-21T12:00:00Z".parse().unwrap());
        page.finish().into()
    }

    fn sample(snippet: &str, marks: Vec<(u32, u32)>) -> FoundPrompt<PromptSummary> {
        let prompt = samples::prompt("7a3f9c21", 0, "direct", "Announce the move.", 0.74).into();
        let matched = Match { score: 0.032_5, snippet: snippet.into(), marks, kind: MatchKind::Hybrid, far: false };
        FoundPrompt { prompt, matched, near_duplicate_of: None }
    }

    #[test]
    fn what_matched_is_bold_on_a_terminal_alone() {
        let found = [sample("find é prime numbers", vec![(7, 12)])];
        let plain = page(Paint::Plain, 80, false, &found);
        assert!(plain.contains("  find é prime numbers\n"), "{plain}");
        let bold = page(Paint::Colour, 80, true, &found);
        assert!(bold.contains("  find é \u{1b}[1mprime\u{1b}[0m numbers\n"), "{bold:?}");
    }

    #[test]
    fn only_a_figure_that_says_something_by_itself_is_shown() {
        let said = |kind, score| matched_by(&Match { kind, score, ..sample("x", vec![]).matched });
        assert_eq!(said(MatchKind::Text, 1.375e-6), "words");
        assert_eq!(said(MatchKind::Hybrid, 0.0325), "words and meaning");
        assert_eq!(said(MatchKind::Semantic, 0.831), "meaning 0.83");
        let far = Match { kind: MatchKind::Semantic, score: 0.211, far: true, ..sample("x", vec![]).matched };
        assert_eq!(matched_by(&far), "meaning 0.21, far");
        assert!(
            page(Paint::Plain, 80, false, &[sample("x", vec![])]).starts_with("7a3f9c21  words and meaning  2026-")
        );
    }

    #[test]
    fn a_long_piece_goes_on_below_and_loses_nothing() {
        let found = [sample("one two three four five six seven eight", vec![(14, 18)])];
        let shown = page(Paint::Plain, 24, true, &found);
        assert!(shown.ends_with("  one two three four\n  five six seven eight\n"), "{shown}");
    }

    #[test]
    fn what_was_found_of_a_run_stands_below_what_was_asked() {
        let of_run = |end, run: u128| {
            let mut found = sample("find prime numbers", vec![(5, 10)]);
            found.prompt = samples::prompt(end, 0, "direct", "Announce the move.", 0.74).into();
            found.prompt.session_id = aludel_core::domain::SessionId(uuid::Uuid::from_u128(run));
            found
        };
        let three = [of_run("7a3f9c21", 1), of_run("11111111", 2), of_run("5e0b44d9", 1)];
        insta::assert_snapshot!(page(Paint::Plain, 80, false, &three));
        let mut flat = Page::new(Paint::Plain, 80, false);
        found(&mut flat, &three, Layout::Flat, "2026-11-21T12:00:00Z".parse().unwrap());
        let flat = String::from(flat.finish());
        assert_eq!(flat.matches("Announce our move to Lyon").count(), 3, "{flat}");
        assert!(flat.find("7a3f9c21") < flat.find("11111111") && flat.find("11111111") < flat.find("5e0b44d9"));
        let narrow = page(Paint::Plain, 30, true, &three);
        assert!(narrow.lines().all(|line| line.chars().count() <= 30), "{narrow}");
    }

    #[test]
    fn a_repeat_is_marked_and_explained_once() {
        let mut second = sample("x", vec![]);
        second.near_duplicate_of = Some(second.prompt.id);
        let shown = page(Paint::Plain, 80, false, &[sample("x", vec![]), second]);
        assert_eq!(shown.matches(repeat().trim()).count(), 2, "{shown}");
        assert!(shown.ends_with(&format!("{}\n", footnote())));
    }

    #[test]
    fn control_characters_of_a_stored_text_never_reach_a_terminal() {
        let shown = page(Paint::Plain, 80, true, &[sample("a\u{1b}[2Jb", vec![(0, 1)])]);
        assert!(!shown.contains('\u{1b}'), "{shown:?}");
    }
}
