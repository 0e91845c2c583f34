//! What was found: a line for each prompt, and below it the piece of its text that matches.

use aludel_core::domain::{FoundPrompt, MatchKind, Timestamp, write_moment};

use super::list::{FOOTNOTE, REPEAT};
use super::page::{Page, Role, broken};
use super::words::{ago, one_line};

/// Columns before a piece of text.
const INDENT: usize = 2;

/// Writes what was found, best first; `now` is what ages count from.
pub(crate) fn found(page: &mut Page, found: &[FoundPrompt], now: Timestamp) {
    for (number, FoundPrompt { prompt, matched, near_duplicate_of }) in found.iter().enumerate() {
        if number > 0 {
            page.gap();
        }
        let made = if page.is_terminal() { ago(now, prompt.created_at) } else { write_moment(prompt.created_at) };
        let by = match matched.kind {
            MatchKind::Text => "words",
            MatchKind::Semantic => "meaning",
            MatchKind::Hybrid => "both",
        };
        let mut facts = format!("{}  {by}  {made}  {}", score(matched.score), one_line(&prompt.persona));
        if !prompt.tags.is_empty() {
            facts.extend(["  ", &one_line(&prompt.tags.join(","))]);
        }
        let mark = if near_duplicate_of.is_some() { REPEAT } else { "" };
        let head = format!("{}{mark}", prompt.id.short());
        let width = page.width().saturating_sub(textwrap::core::display_width(&head) + 2);
        let facts = if page.is_terminal() { super::cut(&facts, width) } else { facts };
        let paint = page.paint();
        page.line(&format!("{}  {}", paint.text(Role::Handle, &head), paint.text(Role::Faint, &facts)));
        let input = one_line(&prompt.original_input);
        let most = page.width().saturating_sub(INDENT);
        page.line(&format!("  {}", if page.is_terminal() { super::cut(&input, most) } else { input }));
        piece(page, &matched.snippet, &matched.marks);
    }
    if found.iter().any(|found| found.near_duplicate_of.is_some()) {
        page.gap();
        page.painted(Role::Faint, FOOTNOTE);
    }
}

/// A score, with as many digits as tell neighbours apart.
fn score(score: f64) -> String {
    if score.abs() < 0.1 { format!("{score:.4}") } else { format!("{score:.2}") }
}

/// A piece of text with what matched in bold.
fn piece(page: &mut Page, snippet: &str, marks: &[(u32, u32)]) {
    // Marks count characters; a piece is one line without control characters, and what is harmless has as many.
    let shown = super::page::harmless(snippet);
    let lines =
        if page.is_terminal() { broken(&shown, page.width().saturating_sub(INDENT), 0) } else { vec![shown.clone()] };
    let is_marked = |place: usize| marks.iter().any(|(from, to)| (*from as usize..*to as usize).contains(&place));
    let mut rest = shown.chars().enumerate().peekable();
    for line in lines {
        let (mut text, mut bold) = (String::from("  "), String::new());
        for wanted in line.chars() {
            // Breaking a line takes blanks away and adds nothing.
            while rest.next_if(|(_, character)| *character != wanted).is_some() {}
            let Some((place, character)) = rest.next() else { break };
            if is_marked(place) {
                bold.push(character);
                continue;
            }
            text.push_str(&emphasised(page, &mut bold));
            text.push(character);
        }
        text.push_str(&emphasised(page, &mut bold));
        page.line(&text);
    }
}

/// Takes what is to stand out.
fn emphasised(page: &Page, bold: &mut String) -> String {
    let taken = std::mem::take(bold);
    if taken.is_empty() { taken } else { page.paint().text(Role::Heading, &taken) }
}

#[cfg(test)]
mod tests {
    use aludel_core::domain::Match;

    use super::*;
    use crate::cli::view::{Paint, samples};

    fn page(paint: Paint, width: usize, is_terminal: bool, found_prompts: &[FoundPrompt]) -> String {
        let mut page = Page::new(paint, width, is_terminal);
        found(&mut page, found_prompts, "2026-11-21T12:00:00Z".parse().unwrap());
        page.finish()
    }

    fn sample(snippet: &str, marks: Vec<(u32, u32)>) -> FoundPrompt {
        let prompt = samples::prompt("7a3f9c21", 0, "direct", "Announce the move.", 0.74);
        let matched = Match { score: 0.032_5, snippet: snippet.into(), marks, kind: MatchKind::Hybrid };
        FoundPrompt { prompt, matched, near_duplicate_of: None }
    }

    #[test]
    fn what_matched_is_bold_on_a_terminal_alone() {
        let found = [sample("find é prime numbers", vec![(7, 12)])];
        let plain = page(Paint::Plain, 80, false, &found);
        assert!(plain.contains("  find é prime numbers\n") && plain.contains("0.0325  both"), "{plain}");
        let bold = page(Paint::Colour, 80, true, &found);
        assert!(bold.contains("  find é \u{1b}[1mprime\u{1b}[0m numbers\n"), "{bold:?}");
    }

    #[test]
    fn a_long_piece_goes_on_below_and_loses_nothing() {
        let found = [sample("one two three four five six seven eight", vec![(14, 18)])];
        let shown = page(Paint::Plain, 24, true, &found);
        assert!(shown.ends_with("  one two three four\n  five six seven eight\n"), "{shown}");
    }

    #[test]
    fn a_repeat_is_marked_and_explained_once() {
        let mut second = sample("x", vec![]);
        second.near_duplicate_of = Some(second.prompt.id);
        let shown = page(Paint::Plain, 80, false, &[sample("x", vec![]), second]);
        assert_eq!(shown.matches(REPEAT.trim()).count(), 2, "{shown}");
        assert!(shown.ends_with(&format!("{FOOTNOTE}\n")));
    }

    #[test]
    fn control_characters_of_a_stored_text_never_reach_a_terminal() {
        let shown = page(Paint::Plain, 80, true, &[sample("a\u{1b}[2Jb", vec![(0, 1)])]);
        assert!(!shown.contains('\u{1b}'), "{shown:?}");
    }
}
