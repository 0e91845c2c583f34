//! Replaces the labels A (shown first) and B in a judge's reasons by the candidates' names.
//!
//! Judges are asked to write `[A]` and `[B]`, but many write "A", "candidate B's" or "Prompt A".
//! Only letters that certainly are labels are replaced:
//! - `B` is never an article, so it is a label unless its neighbours say otherwise: "plan B",
//!   "vitamin B", "a B", "Hepatitis B", "B vitamins", "A, B and C", "A/B", "B-side".
//! - `A` within a sentence is not an article. At the start of one it is a label only if no noun can
//!   follow: "A names its audience", "A's", "A, like B". "A clear task" is left.
//! - Code and quotations are left, because they are the candidates' words.
//!
//! Ambiguous cases are left: `"A"` in quotation marks, "the second", "Option B", an `A` before a
//! verb that is not listed here. Every step is linear in the length of the text.

#[cfg(test)]
#[path = "naming_tests.rs"]
mod tests;
mod verbatim;
mod words;

use verbatim::verbatim;

/// How many letters on each side are checked for a longer list.
const MOST_LISTED: usize = 8;

/// A judge's reasons, with the names `first` and `second` in place of A and B.
pub(super) fn named(reasons: &str, first: &str, second: &str) -> String {
    let mut scan = Scan { tokens: tokens(reasons), left: Vec::new() };
    let (mut told, mut from) = (String::with_capacity(reasons.len() + 16), 0);
    for at in 0..scan.tokens.len() {
        let Some((is_first, begin, end)) = scan.label(at) else { continue };
        // A noun shared by two labels, as in "candidates A and B", belongs to the first.
        let begin = begin.max(from);
        told.push_str(&reasons[from..begin]);
        told.push_str(if is_first { first } else { second });
        from = end;
    }
    told.push_str(&reasons[from..]);
    told
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Letters, digits and underscores.
    Word,
    /// White space without a line break.
    Space,
    /// White space with a line break.
    Break,
    /// Any other single character.
    Sign(char),
    /// Code or a quotation.
    Verbatim,
}

#[derive(Debug, Clone, Copy)]
struct Token<'t> {
    kind: Kind,
    text: &'t str,
    begin: usize,
}

fn tokens(text: &str) -> Vec<Token<'_>> {
    let (mut tokens, mut at) = (Vec::new(), 0);
    for (begin, end) in verbatim(text).into_iter().chain([(text.len(), text.len())]) {
        while at < begin {
            let rest = &text[at..begin];
            let Some(first) = rest.chars().next() else { break };
            let run = |is: fn(char) -> bool| rest.find(|c: char| !is(c)).unwrap_or(rest.len());
            let (kind, length) = if is_of_a_word(first) {
                (Kind::Word, run(is_of_a_word))
            } else if first.is_whitespace() {
                let length = run(char::is_whitespace);
                (if rest[..length].contains('\n') { Kind::Break } else { Kind::Space }, length)
            } else {
                (Kind::Sign(first), first.len_utf8())
            };
            tokens.push(Token { kind, text: &rest[..length], begin: at });
            at += length;
        }
        if end > begin {
            tokens.push(Token { kind: Kind::Verbatim, text: &text[begin..end], begin });
            at = end;
        }
    }
    tokens
}

fn is_of_a_word(character: char) -> bool {
    character.is_alphanumeric() || character == '_'
}

struct Scan<'t> {
    tokens: Vec<Token<'t>>,
    /// Letters found not to be labels.
    left: Vec<usize>,
}

impl<'t> Scan<'t> {
    /// The label at this token: true for the first candidate, and the bytes to replace.
    fn label(&mut self, at: usize) -> Option<(bool, usize, usize)> {
        let word = self.word(at)?;
        if let Some(place) = self.ordinal(at, word) {
            return Some(place);
        }
        if !matches!(word, "A" | "B") {
            return None;
        }
        let end = self.tokens[at].begin + 1;
        let found = if self.sign_before(at) == Some('[') && self.sign(at + 1) == Some(']') {
            // A Markdown link is not a label.
            (self.sign(at + 2) != Some('(')).then(|| (self.noun_before(at - 1).unwrap_or(end - 2), end + 1))
        } else if self.is_label(at, word == "A") {
            Some((self.noun_before(at).unwrap_or(end - 1), end))
        } else {
            None
        };
        if found.is_none() {
            self.left.push(at);
        }
        found.map(|(begin, end)| (word == "A", begin, end))
    }

    /// The label in "the first candidate".
    fn ordinal(&self, at: usize, word: &str) -> Option<(bool, usize, usize)> {
        let is_first = match word {
            "first" => true,
            "second" => false,
            _ => return None,
        };
        let the = self.word_before(at).filter(|&the| self.tokens[the].text.eq_ignore_ascii_case("the"))?;
        let noun = self.word_after(at).filter(|&noun| self.tokens[noun].text == "candidate")?;
        Some((is_first, self.tokens[the].begin, self.tokens[noun].begin + "candidate".len()))
    }

    /// The start of a noun before the letter, as in "candidate A", which is replaced with it.
    fn noun_before(&self, at: usize) -> Option<usize> {
        let noun = self.word_before(at).filter(|&noun| words::is_candidate(self.tokens[noun].text))?;
        let is_determined = self.word_before(noun).is_some_and(|word| words::is_determiner(self.tokens[word].text));
        (!is_determined).then(|| self.tokens[noun].begin)
    }

    fn is_label(&self, at: usize, is_a: bool) -> bool {
        if !self.stands_alone(at) || self.is_listed_with_others(at) {
            return false;
        }
        if self.is_compared(at) {
            return true;
        }
        let before = self.word_before(at).map(|word| self.tokens[word].text);
        if before.is_some_and(|noun| words::is_candidate(noun) || words::is_candidates(noun)) {
            return true;
        }
        let after = self.word_after(at).filter(|&word| self.sign(word + 1) != Some('-'));
        let after = after.map(|word| self.tokens[word].text);
        if before.zip(after) == Some(("from", "to")) {
            return false;
        }
        if after.is_some_and(words::is_named_with_letters) || before.is_some_and(|word| self.is_named_by(at, word)) {
            return false;
        }
        if let (Some(before), Some(after)) = (before, after)
            && is_shouted(before)
            && is_shouted(after)
        {
            return false;
        }
        let is_in_parentheses = self.sign_before(at) == Some('(') && self.sign(at + 1) == Some(')');
        if is_in_parentheses {
            let word = self.word_before(at - 1).map(|word| self.tokens[word].text);
            return word.is_some_and(|word| words::is_candidate(word) || words::is_one_of_two(word));
        }
        let next = self.past_stars(at);
        let kind = self.tokens.get(next).map(|token| token.kind);
        let is_followed_by_a_sign = matches!(kind, Some(Kind::Sign(_) | Kind::Break) | None);
        let may_be_a_number = is_followed_by_a_sign && matches!(self.sign(next), Some('.') | None);
        if may_be_a_number && self.begins_a_line(at) {
            return false;
        }
        let is_before_a_dash = matches!(self.sign(next + 1), Some('—' | '–' | '-'));
        if !is_a || is_followed_by_a_sign || is_before_a_dash {
            return true;
        }
        if self.begins_a_sentence(at) {
            return after.is_some_and(words::follows_no_article);
        }
        !after.is_some_and(|word| word.starts_with(char::is_uppercase))
    }

    /// True if the letter is not part of a longer word or symbol.
    fn stands_alone(&self, at: usize) -> bool {
        let before = match at.checked_sub(1).map(|before| self.tokens[before].kind) {
            None | Some(Kind::Space | Kind::Break) => true,
            Some(Kind::Sign(sign)) => "(*>=<≫≪—…,:".contains(sign),
            Some(Kind::Word | Kind::Verbatim) => false,
        };
        let is_open = |at: usize| !matches!(self.tokens.get(at).map(|token| token.kind), Some(Kind::Word));
        let after = match self.tokens.get(at + 1).map(|token| token.kind) {
            None | Some(Kind::Space | Kind::Break) => true,
            Some(Kind::Sign('\'' | '’')) => self.word(at + 2) == Some("s") && is_open(at + 3),
            Some(Kind::Sign('.')) => is_open(at + 2),
            Some(Kind::Sign(')')) => self.sign_before(at) == Some('('),
            Some(Kind::Sign(sign)) => "*>=<≫≪—…,:;!?".contains(sign),
            Some(Kind::Word | Kind::Verbatim) => false,
        };
        before && after
    }

    /// True for a verdict such as `A > B`.
    fn is_compared(&self, at: usize) -> bool {
        let is_comparison = |at: &usize| matches!(self.sign(*at), Some('>' | '<' | '=' | '≫' | '≪'));
        let is_gap = |at: &usize| self.tokens.get(*at).is_some_and(|token| token.kind == Kind::Space);
        let is_letter = |at: usize| matches!(self.word(at), Some("A" | "B"));
        let after: Vec<usize> = (at + 1..).take(MOST_LISTED).take_while(|at| is_comparison(at) || is_gap(at)).collect();
        let before: Vec<usize> =
            (0..at).rev().take(MOST_LISTED).take_while(|at| is_comparison(at) || is_gap(at)).collect();
        after.iter().any(is_comparison) && after.last().is_some_and(|last| is_letter(last + 1))
            || before.iter().any(is_comparison)
                && before.last().is_some_and(|last| last.checked_sub(1).is_some_and(is_letter))
    }

    /// True for a letter in a list with letters other than A and B: "A, B and C", "Q and A".
    fn is_listed_with_others(&self, at: usize) -> bool {
        let forward = (at + 1..self.tokens.len()).map(|at| &self.tokens[at]);
        let backward = (0..at).rev().map(|at| &self.tokens[at]);
        has_another_letter(forward) || has_another_letter(backward)
    }

    /// True if the word before gives the letter another meaning ("plan B", "a B", "Hepatitis B"),
    /// or it is listed with such a letter.
    fn is_named_by(&self, at: usize, before: &str) -> bool {
        if words::joins(before) {
            let other = self.word_before(at).and_then(|joining| self.word_before(joining));
            return other.is_some_and(|other| self.left.last() == Some(&other));
        }
        words::is_named_with_letters(before)
            || words::is_article(before)
            || (before.starts_with(char::is_uppercase) && !words::begins_a_clause(before))
    }

    fn begins_a_sentence(&self, at: usize) -> bool {
        for (before, token) in self.tokens[..at].iter().enumerate().rev() {
            match token.kind {
                Kind::Space | Kind::Sign('*') => {}
                Kind::Sign('.') => return !matches!(before.checked_sub(1).and_then(|at| self.word(at)), Some("vs")),
                Kind::Sign(',' | ';' | '—' | '>' | '<' | '=' | ')') | Kind::Word | Kind::Verbatim => return false,
                Kind::Break | Kind::Sign(_) => return true,
            }
        }
        true
    }

    fn begins_a_line(&self, at: usize) -> bool {
        let mut before = self.tokens[..at].iter().rev().map(|token| token.kind);
        let first = before.find(|kind| !matches!(kind, Kind::Space | Kind::Sign('*' | '-' | '•' | '#')));
        matches!(first, None | Some(Kind::Break))
    }

    fn word(&self, at: usize) -> Option<&'t str> {
        self.tokens.get(at).filter(|token| token.kind == Kind::Word).map(|token| token.text)
    }

    fn sign(&self, at: usize) -> Option<char> {
        match self.tokens.get(at)?.kind {
            Kind::Sign(sign) => Some(sign),
            _ => None,
        }
    }

    fn sign_before(&self, at: usize) -> Option<char> {
        self.sign(at.checked_sub(1)?)
    }

    /// The word before, separated only by a space.
    fn word_before(&self, at: usize) -> Option<usize> {
        let is_star = |at: &usize| self.sign(*at) == Some('*');
        let stars = (0..at).rev().take_while(is_star).count();
        let gap = at.checked_sub(stars + 1).filter(|&gap| self.tokens[gap].kind == Kind::Space)?;
        gap.checked_sub(1).filter(|&word| self.tokens[word].kind == Kind::Word)
    }

    /// The word after, separated only by a space.
    fn word_after(&self, at: usize) -> Option<usize> {
        let gap = self.past_stars(at);
        self.tokens.get(gap).filter(|gap| gap.kind == Kind::Space)?;
        self.word(gap + 1).map(|_| gap + 1)
    }

    /// The next token that is not an asterisk: `**A**` is an emphasised `A`.
    fn past_stars(&self, at: usize) -> usize {
        let is_star = |at: &usize| self.sign(*at) == Some('*');
        at + 1 + (at + 1..self.tokens.len()).take_while(is_star).count()
    }
}

fn has_another_letter<'t>(tokens: impl Iterator<Item = &'t Token<'t>>) -> bool {
    let mut is_joined = false;
    for token in tokens.take(4 * MOST_LISTED) {
        match token.kind {
            Kind::Space => {}
            Kind::Sign(',' | '/' | '&') => is_joined = true,
            Kind::Word if words::joins(token.text) => is_joined = true,
            Kind::Word if is_joined && is_one_capital(token.text) => {
                if !matches!(token.text, "A" | "B" | "I") {
                    return true;
                }
                is_joined = false;
            }
            _ => return false,
        }
    }
    false
}

fn is_one_capital(word: &str) -> bool {
    let mut letters = word.chars();
    letters.next().is_some_and(char::is_uppercase) && letters.next().is_none()
}

fn is_shouted(word: &str) -> bool {
    word.chars().count() > 1 && word.chars().all(char::is_uppercase)
}
