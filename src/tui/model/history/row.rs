//! One stored prompt in the list: short and safe to show, so that many rows cost little.
//!
//! Rows are made where replies are, off the drawing thread. The whole prompt is read once selected.

use aludel_core::domain::{Match, MatchKind, Prompt, PromptId, PromptSummary, SessionId, Timestamp, by_run};

use crate::tui::widgets::figures::writer;
use crate::tui::widgets::safe::{Sanitizer, safe_line};

/// Characters of text that a row keeps: more than any screen shows.
const TEXT: usize = 400;
/// Characters of a name that a row keeps.
const NAME: usize = 80;

/// A piece of a row's text; true if it matches the search.
pub(crate) type Piece = (String, bool);

/// One row.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Row {
    /// The prompt.
    pub(crate) id: PromptId,
    /// Its run.
    pub(crate) run: SessionId,
    /// Its position in the result.
    pub(crate) place: usize,
    /// When it was first stored.
    pub(crate) made: Timestamp,
    /// Its persona.
    pub(crate) persona: String,
    /// `provider/model` of the last phase.
    pub(crate) who: String,
    /// The ranking's score.
    pub(crate) score: Option<f64>,
    /// Its tags, joined by commas.
    pub(crate) tags: String,
    /// The request; or, if words matched, the text around them.
    pub(crate) text: Vec<Piece>,
    /// The request.
    pub(crate) idea: String,
    /// What distinguishes it within its run: its strategy and its beginning.
    pub(crate) begins: String,
    /// A near-duplicate further up.
    pub(crate) twin: Option<PromptId>,
    /// How it matched, and how well.
    pub(crate) found: Option<(MatchKind, f64)>,
    /// True if it matched by a meaning that is not near.
    pub(crate) is_far: bool,
}

impl Row {
    /// The row of a listed prompt.
    pub(crate) fn listed(prompt: &PromptSummary, twin: Option<PromptId>) -> Self {
        let line = |text: &str, most| pieces(cut(text.trim_start(), most), &[]).into_iter().map(|(text, _)| text);
        let idea = line(&prompt.original_input, TEXT).collect();
        let begins: String = line(&prompt.content, TEXT / 2).collect();
        let strategy = name(&prompt.strategy);
        Self {
            id: prompt.id,
            run: prompt.session_id,
            place: 0,
            begins: if strategy.is_empty() { begins } else { format!("{strategy}: {begins}") },
            idea,
            made: prompt.created_at,
            persona: name(&prompt.persona),
            who: writer(&name(&prompt.provider), &name(&prompt.model)),
            score: prompt.score,
            tags: tags_of(&prompt.tags),
            text: pieces(cut(prompt.original_input.trim_start(), TEXT), &[]),
            twin,
            found: None,
            is_far: false,
        }
    }

    /// The row of a found prompt.
    pub(crate) fn found(prompt: &PromptSummary, matched: &Match, twin: Option<PromptId>) -> Self {
        let found = Some((matched.kind, matched.score));
        let row = Self { found, is_far: matched.far, ..Self::listed(prompt, twin) };
        // A match by meaning has no words to show: the request says more.
        if matched.marks.is_empty() {
            return row;
        }
        Self { text: pieces(cut(&matched.snippet, TEXT), &matched.marks), ..row }
    }

    /// Applies a change of `prompt`.
    pub(crate) fn retag(&mut self, prompt: &Prompt) {
        self.tags = tags_of(&prompt.tags);
    }
}

/// The rows of a page grouped by run, the run of the best or newest first.
pub(super) fn by_their_runs(rows: &[Row]) -> Vec<Row> {
    by_run(rows, |row| row.run).into_iter().flat_map(|run| run.rows).cloned().collect()
}

/// A name, shortened and safe to show.
fn name(text: &str) -> String {
    safe_line(cut(text, NAME))
}

fn tags_of(tags: &[String]) -> String {
    name(&tags.join(","))
}

/// At most the first `most` characters.
fn cut(text: &str, most: usize) -> &str {
    text.char_indices().nth(most).map_or(text, |(byte, _)| &text[..byte])
}

/// `text` on one line and safe to show, in marked and unmarked pieces. Marks are in characters of
/// `text`; those beyond its end are cut.
fn pieces(text: &str, marks: &[(u32, u32)]) -> Vec<Piece> {
    let mut pieces: Vec<Piece> = Vec::new();
    let mut sanitizer = Sanitizer::default();
    let mut shown = String::new();
    let mut encoded = [0; 4];
    for (index, character) in text.chars().enumerate() {
        let index = u32::try_from(index).unwrap_or(u32::MAX);
        let is_marked = marks.iter().any(|(from, to)| (*from..*to).contains(&index));
        shown.clear();
        sanitizer.push(character.encode_utf8(&mut encoded), &mut shown);
        for character in shown.chars() {
            let blank = character.is_whitespace();
            let after_blank = pieces.last().is_some_and(|(text, _)| text.ends_with(' '));
            if blank && (after_blank || pieces.is_empty()) {
                continue;
            }
            let character = if blank { ' ' } else { character };
            match pieces.last_mut() {
                Some((text, marked)) if *marked == is_marked => text.push(character),
                _ => pieces.push((character.to_string(), is_marked)),
            }
        }
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tui::testing::prompt;

    fn marked(text: &str, marks: &[(u32, u32)]) -> String {
        let piece = |(text, marked): &Piece| if *marked { format!("[{text}]") } else { text.clone() };
        pieces(text, marks).iter().map(piece).collect()
    }

    #[test]
    fn what_matched_is_a_piece_of_its_own() {
        assert_eq!(marked("the prime numbers", &[(4, 9)]), "the [prime] numbers");
        assert_eq!(marked("世界 prime 世界", &[(0, 2), (9, 11)]), "[世界] prime [世界]");
        assert_eq!(marked("at the end", &[(7, 99)]), "at the [end]");
    }

    #[test]
    fn lines_become_one_and_sequences_vanish() {
        assert_eq!(marked("\n# Role\n\n  Senior\tengineer", &[]), "# Role Senior engineer");
        assert_eq!(marked("a \u{1b}]52;c;aGk=\u{7}\u{1b}[2Jprime\u{202e} b", &[(18, 23)]), "a [prime] b");
    }

    #[test]
    fn a_row_keeps_little_of_a_long_prompt() {
        let mut long = prompt(0, "x", Some(0.5));
        long.original_input = "word ".repeat(20_000);
        long.persona = "p".repeat(10_000);
        long.tags = vec!["t".repeat(64); 32];
        let row = Row::listed(&long.into(), None);
        let kept: usize = row.text.iter().map(|(text, _)| text.len()).sum();
        assert!(row.idea.len() <= TEXT && row.begins.len() <= TEXT);
        assert!(kept <= TEXT && row.persona.len() <= NAME && row.tags.len() <= NAME);
    }
}
