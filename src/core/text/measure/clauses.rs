//! Clauses, with their numbers, units and bounds, and whether they are negated.
//!
//! Recognised by word lists of the ten languages that frames are written in. A unit of text is
//! split at commas, semicolons, brackets and dashes; a clause that says two things stays one.

use std::collections::HashMap;
use std::num::NonZeroU32;
use std::sync::LazyLock;

use xxhash_rust::xxh3::xxh3_64;

use super::reading::Reader;
use super::words;
use crate::text::language::is_ideographic;
use crate::text::terms::{TermId, fold};
use crate::visited::visit;

/// How a number bounds what it counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Bound {
    Most,
    Least,
}

/// A counted thing in one spelling, as a hash to save memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct CountedUnit(NonZeroU32);

impl CountedUnit {
    fn of(spelled: &str) -> Self {
        #[expect(clippy::cast_possible_truncation, reason = "any half of a hash is one")]
        let half = xxh3_64(spelled.as_bytes()) as u32;
        Self(NonZeroU32::new(half).unwrap_or(NonZeroU32::MIN))
    }
}

/// A number and what it counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Quantity {
    /// Digits without thousands separators; number words are converted.
    pub(super) value: Box<str>,
    /// The word after it, or its sign; `None` if it counts nothing.
    pub(super) unit: Option<CountedUnit>,
    pub(super) bound: Option<Bound>,
    /// The words around it, which other numbers may refer to.
    pub(super) near: [Option<CountedUnit>; 2 * NEAR + 1],
}

impl Quantity {
    /// True if one is an upper and the other a lower bound.
    pub(super) fn is_contrary(&self, other: &Self) -> bool {
        self.bound.zip(other.bound).is_some_and(|(own, other)| own != other)
    }
}

/// A clause.
#[derive(Debug, Clone, Default)]
pub(super) struct Clause {
    /// Its distinct terms.
    pub(super) terms: Box<[TermId]>,
    pub(super) quantities: Box<[Quantity]>,
    pub(super) denies: bool,
}

/// How many words around a number can name what it counts.
const NEAR: usize = 3;
/// How far a bound can be from its number, in bytes of folded text.
const BEFORE_BOUND: usize = 28;
const AFTER_BOUND: usize = 32;

/// Reads a clause.
pub(super) fn clause(text: &str, reader: &mut Reader) -> Clause {
    let mut terms = reader.terms(text);
    terms.sort_unstable();
    terms.dedup();
    let folded = spaced(&fold(text));
    visit(folded.len());
    let (quantities, bounds) = quantities(&folded);
    Clause { terms: terms.into(), quantities: quantities.into(), denies: denies(&folded, &bounds) }
}

/// Separates numbers from unspaced scripts, converts their numerals, and unifies percent signs.
fn spaced(folded: &str) -> String {
    let mut text = folded.to_owned();
    for phrase in words::PERCENT.iter().filter(|phrase| folded.contains(*phrase)) {
        text = text.replace(phrase, "%");
    }
    if text.is_ascii() {
        return text;
    }
    let mut spaced = String::with_capacity(text.len() + 8);
    let mut rest = text.as_str();
    let mut previous = ' ';
    while let Some(c) = rest.chars().next() {
        let han = han_number(rest);
        let starts_number = c.is_ascii_digit() || han.is_some();
        if starts_number && is_ideographic(previous) {
            spaced.push(' ');
        }
        let length = match han {
            Some((value, length)) => {
                spaced.push_str(&value.to_string());
                length
            }
            None => {
                spaced.push(c);
                c.len_utf8()
            }
        };
        previous = c;
        rest = &rest[length..];
    }
    spaced
}

/// A Chinese numeral at the start of a text, before a counted unit: its value and length in bytes.
fn han_number(text: &str) -> Option<(u32, usize)> {
    let is_part = |c: char| words::HAN_DIGITS.contains(c) || matches!(c, '十' | '百' | '千' | '两');
    let length = text.find(|c| !is_part(c)).unwrap_or(text.len());
    if length == 0 || !text[length..].starts_with(|c| words::HAN_COUNTED.contains(c)) {
        return None;
    }
    let (mut value, mut digit) = (0, None::<u32>);
    for c in text[..length].chars() {
        let scale = match c {
            '十' => 10,
            '百' => 100,
            '千' => 1000,
            '两' => {
                digit = Some(2);
                continue;
            }
            _ => {
                let place = words::HAN_DIGITS.chars().position(|own| own == c)?;
                digit = Some(digit.unwrap_or(0).saturating_mul(10).saturating_add(u32::try_from(place).ok()?));
                continue;
            }
        };
        value += digit.take().unwrap_or(1).saturating_mul(scale);
    }
    Some((value + digit.unwrap_or(0), length))
}

/// Calls `visit` with the clauses of a unit.
pub(super) fn each_clause<'t>(unit: &'t str, mut visit: impl FnMut(&'t str)) {
    let has_blanks = !unit.contains(is_ideographic);
    for part in unit
        .split(|c| matches!(c, ';' | '(' | ')' | '，' | '；' | '、' | '،' | '—' | '。') || (c == ',' && !has_blanks))
    {
        let parts = [", ", ": ", ". ", ".** ", ".* ", " – "]
            .into_iter()
            .fold(vec![part], |parts, mark| parts.into_iter().flat_map(|part| part.split(mark)).collect());
        for part in parts {
            // `(2)` numbers a list item.
            let is_mark = part.len() <= 2 && part.bytes().all(|byte| byte.is_ascii_digit());
            if part.contains(char::is_alphanumeric) && !is_mark {
                visit(part);
            }
        }
    }
}

/// True if the clause is negated, apart from its bounds ("no more than").
fn denies(folded: &str, bounds: &[std::ops::Range<usize>]) -> bool {
    let mut kept = String::with_capacity(folded.len());
    let mut from = 0;
    for bound in bounds {
        kept.push_str(&folded[from..bound.start.max(from)]);
        kept.push(' ');
        from = bound.end.max(from);
    }
    kept.push_str(&folded[from..]);
    // Quoted text is somebody else's.
    let text = &kept.split('"').step_by(2).collect::<Vec<_>>().join(" ");
    says_no(text)
}

fn says_no(text: &str) -> bool {
    let is_no = |word: &str| {
        words::NO.contains(&word) || word.ends_with("n't") || words::NO_STEMS.iter().any(|stem| word.starts_with(stem))
    };
    text.split(|c: char| !c.is_alphanumeric() && c != '\'').any(is_no)
        || words::NO_PHRASES.iter().any(|phrase| text.contains(phrase))
        || (!text.is_ascii() && words::NO_UNSPACED.iter().any(|sign| text.contains(sign)))
}

/// A word of a clause and its position.
struct Word<'t> {
    text: &'t str,
    start: usize,
}

/// The numbers of a clause, and the ranges of their bounds.
fn quantities(folded: &str) -> (Vec<Quantity>, Vec<std::ops::Range<usize>>) {
    let words: Vec<Word<'_>> = folded
        .split_whitespace()
        .flat_map(|word| word.split(['–', '/', '*', '_', '`', '"', '(', ')', '[', ']']))
        .filter(|word| !word.is_empty())
        .map(|text| Word { text, start: text.as_ptr() as usize - folded.as_ptr() as usize })
        .collect();
    let (mut found, mut bounds) = (Vec::new(), Vec::new());
    let mut at = 0;
    while at < words.len() {
        let word = &words[at];
        let Some((value, unit, taken)) = number_at(&words[at..]) else {
            at += 1;
            continue;
        };
        let next = at + taken;
        let around = words[at.saturating_sub(NEAR)..at].iter().chain(words[next.min(words.len())..].iter().take(NEAR));
        let unit = unit.as_deref().map(CountedUnit::of);
        let mut near = [None; 2 * NEAR + 1];
        let named = around.filter_map(|word| spelled(word.text)).map(|word| CountedUnit::of(&word)).chain(unit);
        near.iter_mut().zip(named).for_each(|(place, unit)| *place = Some(unit));
        let unit =
            unit.or_else(|| words.get(next).and_then(|word| spelled(word.text)).map(|word| CountedUnit::of(&word)));
        let end = words.get(next).map_or(folded.len(), |word| word.start);
        let bound = bound(folded, word.start, end);
        if bound.is_some() {
            bounds.push(before_number(folded, word.start)..word.start);
        }
        found.push(Quantity { value: value.into(), unit, bound, near });
        at = next;
    }
    (found, bounds)
}

fn before_number(folded: &str, start: usize) -> usize {
    folded.floor_char_boundary(start.saturating_sub(BEFORE_BOUND))
}

/// The number at the start of these words, the unit attached to it, and how many words it takes.
fn number_at(words: &[Word<'_>]) -> Option<(String, Option<String>, usize)> {
    let text = words.first()?.text;
    let Some(start) = text.find(|c: char| c.is_ascii_digit()) else { return in_words(words) };
    let before = text[..start].trim_start_matches(|c: char| !c.is_alphanumeric() && !is_currency(c));
    // `v2`, `b2`: a name.
    if before.chars().any(|c| c.is_alphabetic() && !is_ideographic(c)) {
        return None;
    }
    let rest = &text[start..];
    let length =
        rest.find(|c: char| !(c.is_ascii_digit() || matches!(c, '.' | ',' | ':' | '\''))).unwrap_or(rest.len());
    let value = plain_number(rest[..length].trim_end_matches(['.', ',', ':', '\'']));
    let after = &rest[length..];
    if after.starts_with(['°', '℃']) {
        return Some((value, Some("°".to_owned()), 1));
    }
    let after = after.trim_matches(|c: char| !c.is_alphanumeric() && c != '%' && !is_currency(c));
    let after = ["st-", "nd-", "rd-", "th-"].iter().find_map(|end| after.strip_prefix(end)).unwrap_or(after);
    // `16-year-olds`
    let after = after.split('-').next().unwrap_or_default();
    let sign = before.chars().find(|c| is_currency(*c)).map(String::from);
    let is_ordinal = ["st", "nd", "rd", "th", "er", "e", "o", "a", "ª", "º"].contains(&after);
    let unit = sign.as_deref().and_then(spelled).or_else(|| spelled(after).filter(|_| !is_ordinal));
    Some((value, unit, 1))
}

fn is_currency(c: char) -> bool {
    matches!(c, '$' | '€' | '£' | '¥')
}

/// A number without thousands separators: `10,000`, `10.000` and `10'000` are the same.
fn plain_number(number: &str) -> String {
    let mut groups = number.split([',', '.', '\'']);
    let is_grouped = groups.next().is_some_and(|first| (1..=3).contains(&first.len()) && first != "0")
        && number.contains([',', '.', '\''])
        && groups.all(|group| group.len() == 3);
    if is_grouped { number.replace([',', '.', '\''], "") } else { number.replace([',', ':'], ".") }
}

/// A number in words.
fn in_words(words: &[Word<'_>]) -> Option<(String, Option<String>, usize)> {
    let bare = |at: usize| words.get(at).map(|word| word.text.trim_matches(|c: char| !c.is_alphanumeric()));
    let value = |word: &str| NUMBERS.get(word).copied().or_else(|| joined(word));
    // `three-part`, `sixty-two-year-old`
    let mut parts = bare(0)?.split('-');
    let mut number = value(parts.next()?)?;
    let mut unit = parts.next();
    if let Some(ones) = unit.and_then(value).filter(|ones| number % 10 == 0 && *ones < 10) {
        number += ones;
        unit = parts.next();
    }
    if let Some(unit) = unit {
        return Some((number.to_string(), spelled(unit), 1));
    }
    let mut taken = 1;
    if let Some(scale) = bare(taken).and_then(|word| SCALES.iter().find(|(name, _)| *name == word)) {
        number = number.saturating_mul(scale.1);
        taken += 1;
    }
    Some((number.to_string(), None, taken))
}

/// German and Dutch put the ones first: `funfundzwanzig`, `vijfentwintig`.
fn joined(word: &str) -> Option<u32> {
    let ones_and_tens = |joint: &str| {
        let (ones, tens) = word.split_once(joint)?;
        let tens = NUMBERS.get(tens).filter(|tens| **tens >= 20 && **tens < 100)?;
        let ones = if matches!(ones, "ein" | "een") { 1 } else { *NUMBERS.get(ones).filter(|ones| **ones < 10)? };
        Some(ones + tens)
    };
    ones_and_tens("und").or_else(|| ones_and_tens("en"))
}

const SCALES: [(&str, u32); 2] = [("hundred", 100), ("thousand", 1000)];

static NUMBERS: LazyLock<HashMap<&'static str, u32>> = LazyLock::new(|| {
    let all = words::NUMBERS.iter().flat_map(|(value, names)| names.iter().map(move |name| (*name, *value)));
    all.collect()
});

static UNITS: LazyLock<HashMap<&'static str, &'static str>> = LazyLock::new(|| {
    let all = words::UNITS.iter().flat_map(|(unit, names)| names.iter().map(move |name| (*name, *unit)));
    all.collect()
});

/// True for the name of a unit.
pub(super) fn is_unit(word: &str) -> bool {
    UNITS.contains_key(word.to_lowercase().as_str())
}

/// What a number counts, if anything, in one spelling; the first character in unspaced scripts.
fn spelled(word: &str) -> Option<String> {
    let word = word.trim_matches(|c: char| !c.is_alphanumeric() && c != '%' && !is_currency(c));
    let first = word.chars().next()?;
    if let Some(unit) = UNITS.get(word) {
        return Some((*unit).to_owned());
    }
    if is_ideographic(first) {
        let known = UNITS.iter().filter(|(name, _)| word.starts_with(**name)).max_by_key(|(name, _)| name.len());
        return Some(known.map_or_else(|| first.to_string(), |(_, unit)| (*unit).to_owned()));
    }
    if words::STOP.contains(&word) || words::AROUND_NUMBERS.contains(&word) || word.chars().any(|c| c.is_ascii_digit())
    {
        return None;
    }
    // Plurals and case endings of the Latin languages.
    let stem = word.trim_end_matches(['s', 'n', 'e']);
    let stem = if stem.chars().count() < 3 { word } else { stem };
    Some(stem.to_owned())
}

/// The bound next to a number.
fn bound(folded: &str, start: usize, end: usize) -> Option<Bound> {
    let before = &folded[before_number(folded, start)..start];
    let after = &folded[folded.floor_char_boundary(start)..folded.floor_char_boundary(end.saturating_add(AFTER_BOUND))];
    let stands_before = |list: &[&str]| list.iter().any(|phrase| ends_with_phrase(before, phrase));
    let stands_after = |list: &[&str]| list.iter().any(|phrase| after.contains(phrase));
    let is_denied = says_no(before);
    if stands_before(words::MORE) {
        return Some(if is_denied { Bound::Most } else { Bound::Least });
    }
    if stands_before(words::LESS) {
        return Some(if is_denied { Bound::Least } else { Bound::Most });
    }
    if stands_before(words::MOST_BEFORE) || stands_after(words::MOST_AFTER) {
        return Some(Bound::Most);
    }
    (stands_before(words::LEAST_BEFORE) || stands_after(words::LEAST_AFTER)).then_some(Bound::Least)
}

/// True if the phrase is right before the number, or one short word earlier ("at most about 50").
fn ends_with_phrase(before: &str, phrase: &str) -> bool {
    before.rfind(phrase).is_some_and(|at| {
        let is_word = before[..at].chars().next_back().is_none_or(|c| !c.is_alphanumeric()) || !phrase.is_ascii();
        is_word && before[at + phrase.len()..].split_whitespace().count() <= 1
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Clause {
        clause(text, &mut Reader::new())
    }

    fn only(text: &str) -> (String, Option<CountedUnit>, Option<Bound>) {
        let found = read(text).quantities;
        assert_eq!(found.len(), 1, "{text}: {found:?}");
        (found[0].value.to_string(), found[0].unit, found[0].bound)
    }

    #[test]
    fn numbers_are_read_with_what_they_count_and_how_they_bound_it() {
        let most = Some(Bound::Most);
        let least = Some(Bound::Least);
        for (text, value, unit, bound) in [
            ("no more than 400 words", "400", "word", most),
            ("at least four hundred words", "400", "word", least),
            ("50 words or fewer", "50", "word", most),
            ("under 10,000 rows", "10000", "row", most),
            ("höchstens 10.000 Zeilen", "10000", "zeil", most),
            ("mindestens drei Beispiele", "3", "beispiel", least),
            ("5 km", "5", "km", None),
            ("five kilometres", "5", "km", None),
            ("500ms", "500", "ms", None),
            ("$50", "50", "$", None),
            ("20 %", "20", "%", None),
            ("au plus 20 pour cent", "20", "%", most),
            ("50字以内", "50", "字", most),
            ("不超过50字", "50", "字", most),
            ("más de 3 ejemplos", "3", "ejemplo", least),
            ("a three-part plan", "3", "part", None),
        ] {
            assert_eq!(only(text), (value.to_owned(), Some(CountedUnit::of(unit)), bound), "{text}");
        }
    }

    #[test]
    fn a_name_with_a_digit_is_no_number() {
        assert!(read("DELF B2, v2 and utf8").quantities.is_empty());
    }

    #[test]
    fn denial_is_told_from_bounds() {
        for text in [
            "do not mention the price",
            "don't mention it",
            "without a library",
            "leave out the price",
            "keine Preise",
            "sans bibliothèque",
            "no menciones el precio",
            "não fale do preço",
            "senza prezzi",
            "geen prijzen",
            "不要提价格",
            "価格には触れないでください",
            "لا تذكر السعر",
            "avoid jargon",
        ] {
            assert!(read(text).denies, "{text}");
        }
        for text in
            ["mention the price", "no more than 50 words", "nicht mehr als 50 Wörter", "Nenne den Preis", "提到价格"]
        {
            assert!(!read(text).denies, "{text}");
        }
    }
}
