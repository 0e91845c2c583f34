//! Near-duplicate detection: texts that share nine tenths of their shingles.
//!
//! A text is a bag of shingles, each three consecutive terms; the likeness of two is the share of
//! shingles in common, repeats counted (Broder, "On the resemblance and containment of documents",
//! 1997). One changed word changes three shingles, so similar texts on other subjects differ.
//!
//! A 64-bit fingerprint (Charikar, "Similarity estimation techniques from rounding algorithms",
//! 2002) and the number of shingles rule out most pairs in an instruction or two, so that a
//! thousand texts are compared with each other in some tens of milliseconds.

use xxhash_rust::xxh3::xxh3_64;

use super::terms::{Analyzer, TermId, WarmAnalyzer, warm};

/// The minimum likeness of near-duplicates.
pub const NEARLY_THE_SAME: f64 = 0.9;

/// Terms per shingle.
const SHINGLE: usize = 3;
/// Maximum Hamming distance between fingerprints of near-duplicates. They differ in about 7 bits,
/// plus or minus 2.5 (an angle of 0.33 over 64 planes); unrelated texts in 32, plus or minus 4.
const MOST_BITS_APART: u32 = 20;

/// Finds near-duplicates of earlier texts.
#[derive(Debug, Default)]
pub struct Repeats {
    analyzer: WarmAnalyzer,
    terms: Vec<TermId>,
    numbers: TermNumbers,
    sketches: Vec<Sketch>,
}

impl Repeats {
    /// Adds a text. Returns the index, from 0, of the first earlier near-duplicate.
    pub fn take(&mut self, text: &str) -> Option<usize> {
        self.terms.clear();
        self.analyzer.read(text, &mut self.terms);
        let sketch = Sketch::of(&self.terms, &self.analyzer, &mut self.numbers, text);
        let found = self.sketches.iter().position(|earlier| earlier.is_nearly(&sketch));
        self.sketches.push(sketch);
        found
    }
}

/// The likeness of two texts, 0..=1; 1 for the same terms in the same order.
pub fn likeness(a: &str, b: &str) -> f64 {
    let (mut analyzer, mut numbers) = (warm(), TermNumbers::default());
    let mut sketch = |text: &str| {
        let mut terms = Vec::new();
        analyzer.read(text, &mut terms);
        Sketch::of(&terms, &analyzer, &mut numbers, text)
    };
    sketch(a).likeness(&sketch(b))
}

/// Numbers terms by when they are first met, so that fingerprints do not depend on what the
/// analyzer has read before.
#[derive(Debug, Default)]
struct TermNumbers {
    /// By the analyzer's number, from 1; 0 if not met yet.
    numbers: Vec<TermId>,
    met: TermId,
}

impl TermNumbers {
    fn of(&mut self, term: TermId) -> TermId {
        let at = term as usize;
        if self.numbers.len() <= at {
            self.numbers.resize(at + 1, 0);
        }
        if self.numbers[at] == 0 {
            self.met += 1;
            self.numbers[at] = self.met;
        }
        self.numbers[at]
    }
}

/// The compared features of a text.
#[derive(Debug)]
struct Sketch {
    fingerprint: u64,
    /// The hash of each shingle, sorted, with repeats. Never empty.
    shingles: Vec<u64>,
}

impl Sketch {
    fn of(terms: &[TermId], analyzer: &Analyzer, numbers: &mut TermNumbers, text: &str) -> Self {
        let mut shingles: Vec<u64> = if terms.len() < SHINGLE {
            // Too short for a shingle: compared as a whole; a text without terms by its characters.
            let all: Vec<&str> = terms.iter().map(|term| analyzer.term(*term)).collect();
            let all = if all.is_empty() { text.trim().to_owned() } else { all.join(" ") };
            vec![xxh3_64(all.as_bytes())]
        } else {
            // Numbers are comparable for texts of one comparison, as sketches are.
            let terms: Vec<TermId> = terms.iter().map(|term| numbers.of(*term)).collect();
            let hash = |run: &[TermId]| {
                let mut bytes = [0; SHINGLE * size_of::<TermId>()];
                for (place, term) in bytes.chunks_exact_mut(size_of::<TermId>()).zip(run) {
                    place.copy_from_slice(&term.to_le_bytes());
                }
                xxh3_64(&bytes)
            };
            terms.windows(SHINGLE).map(hash).collect()
        };
        shingles.sort_unstable();
        Self { fingerprint: fingerprint(&shingles), shingles }
    }

    fn is_nearly(&self, other: &Self) -> bool {
        let (fewer, more) = ordered(self.shingles.len(), other.shingles.len());
        fewer as f64 >= NEARLY_THE_SAME * more as f64
            && (self.fingerprint ^ other.fingerprint).count_ones() <= MOST_BITS_APART
            && self.likeness(other) >= NEARLY_THE_SAME
    }

    /// The shingles in common divided by all of either, repeats counted.
    fn likeness(&self, other: &Self) -> f64 {
        let (mut a, mut b) = (self.shingles.iter().peekable(), other.shingles.iter().peekable());
        let mut common = 0_usize;
        while let (Some(x), Some(y)) = (a.peek(), b.peek()) {
            match x.cmp(y) {
                std::cmp::Ordering::Less => _ = a.next(),
                std::cmp::Ordering::Greater => _ = b.next(),
                std::cmp::Ordering::Equal => {
                    common += 1;
                    a.next();
                    b.next();
                }
            }
        }
        common as f64 / (self.shingles.len() + other.shingles.len() - common) as f64
    }
}

/// Each bit is the majority of the shingles' bits; unset on a tie.
fn fingerprint(shingles: &[u64]) -> u64 {
    // Digit `n` of the 64 counters, one per bit: adding carries two digits on average.
    let mut digits = [0_u64; usize::BITS as usize];
    for shingle in shingles {
        let mut carry = *shingle;
        for digit in &mut digits {
            (*digit, carry) = (*digit ^ carry, *digit & carry);
            if carry == 0 {
                break;
            }
        }
    }
    let used = (usize::BITS - shingles.len().leading_zeros()) as usize;
    let count = |bit: u32| (0..used).fold(0, |count, place| count | ((digits[place] >> bit & 1) as usize) << place);
    (0..u64::BITS).fold(0, |bits, bit| bits | u64::from(2 * count(bit) > shingles.len()) << bit)
}

fn ordered(a: usize, b: usize) -> (usize, usize) {
    (a.min(b), a.max(b))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const LONG: &str = "You are a careful editor of travel guides. Write a page about the old town of Lyon for people \
        who stay a single day. Name three places to eat, say how to walk between them, and warn of what is closed on \
        Mondays. Keep every sentence short, use no superlatives, and end with one line about the weather in spring.";

    #[test]
    fn a_text_is_like_itself_whatever_its_case_and_blanks() {
        assert!(likeness(LONG, &LONG.to_uppercase().replace(' ', "\n ")) >= 1.0);
        assert!(likeness("", "") >= 1.0);
    }

    #[test]
    fn a_small_edit_is_nearly_the_same_and_another_subject_is_not() {
        let edited = LONG.replace("one line", "one sentence");
        assert!(likeness(LONG, &edited) >= NEARLY_THE_SAME, "{}", likeness(LONG, &edited));
        let other = LONG.replace("Lyon", "Porto").replace("travel", "cooking").replace("Mondays", "Fridays");
        assert!(likeness(LONG, &other) < NEARLY_THE_SAME, "{}", likeness(LONG, &other));
        assert!(likeness(LONG, "Sort these numbers.") < 0.1);
    }

    #[test]
    fn the_first_earlier_one_is_named() {
        let mut repeats = Repeats::default();
        let edited = LONG.replace("one line", "one sentence");
        let taken: Vec<_> = [LONG, "Name a boat", &edited, "name a BOAT!", "??", "!!", "??", LONG]
            .into_iter()
            .map(|text| repeats.take(text))
            .collect();
        assert_eq!(taken, [None, None, Some(0), Some(1), None, None, Some(4), Some(0)]);
    }

    proptest! {
        #[test]
        fn a_bit_of_the_fingerprint_is_what_most_shingles_say(shingles in proptest::collection::vec(any::<u64>(), 0..300)) {
            for bit in 0..64 {
                let set = shingles.iter().filter(|shingle| *shingle >> bit & 1 == 1).count();
                let is_set = set > shingles.len() - set;
                prop_assert_eq!(fingerprint(&shingles) >> bit & 1 == 1, is_set, "bit {}", bit);
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]

        #[test]
        fn the_filters_hide_no_pair_that_is_nearly_the_same(
            words in proptest::collection::vec("[a-z]{3,8}", 3..200),
            edits in proptest::collection::vec((any::<prop::sample::Index>(), "[a-z]{3,8}"), 0..6)
        ) {
            let mut edited = words.clone();
            for (place, word) in edits {
                let place = place.index(edited.len());
                edited[place] = word;
            }
            let (a, b) = (words.join(" "), edited.join(" "));
            let mut repeats = Repeats::default();
            repeats.take(&a);
            prop_assert_eq!(repeats.take(&b).is_some(), likeness(&a, &b) >= NEARLY_THE_SAME);
        }

        #[test]
        fn likeness_is_a_share_and_the_same_both_ways(a in "[a-d ]{0,40}", b in "[a-d ]{0,40}") {
            let one_way = likeness(&a, &b);
            prop_assert!((0.0..=1.0).contains(&one_way));
            prop_assert!((one_way - likeness(&b, &a)).abs() < f64::EPSILON);
        }
    }
}
