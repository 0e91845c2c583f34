//! Analyzers that keep the words of earlier texts, so that common ones are not stemmed again.
//!
//! [`warm`] lends one to each caller; it returns when dropped. What they hold is bounded: one that
//! holds more than [`HELD`] words or terms is dropped, as are more than [`IDLE`] at rest.

use std::ops::{Deref, DerefMut};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::Analyzer;

/// Maximum words or terms that an analyzer at rest holds: about a megabyte.
const HELD: usize = 3_000;

/// Maximum analyzers at rest.
const IDLE: usize = 2;

static AT_REST: Mutex<Vec<Analyzer>> = Mutex::new(Vec::new());

/// An analyzer on loan. Its term numbers depend on the texts it has read before.
#[derive(Debug)]
pub struct WarmAnalyzer(Analyzer);

/// An analyzer that may have cached the words of other texts.
pub fn warm() -> WarmAnalyzer {
    #[cfg(any(test, feature = "test-support"))]
    if IS_COLD.load(std::sync::atomic::Ordering::Relaxed) {
        return WarmAnalyzer(Analyzer::default());
    }
    lent()
}

fn lent() -> WarmAnalyzer {
    WarmAnalyzer(at_rest().pop().unwrap_or_default())
}

#[cfg(any(test, feature = "test-support"))]
static IS_COLD: std::sync::atomic::AtomicBool = std::sync::atomic::AtomicBool::new(false);

/// Lends only analyzers that have read nothing from now on, so that tests which count the work on
/// a text count that text alone.
#[cfg(any(test, feature = "test-support"))]
pub fn stay_cold() {
    IS_COLD.store(true, std::sync::atomic::Ordering::Relaxed);
}

fn at_rest() -> MutexGuard<'static, Vec<Analyzer>> {
    AT_REST.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Default for WarmAnalyzer {
    fn default() -> Self {
        warm()
    }
}

impl Deref for WarmAnalyzer {
    type Target = Analyzer;

    fn deref(&self) -> &Analyzer {
        &self.0
    }
}

impl DerefMut for WarmAnalyzer {
    fn deref_mut(&mut self) -> &mut Analyzer {
        &mut self.0
    }
}

impl Drop for WarmAnalyzer {
    fn drop(&mut self) {
        let analyzer = std::mem::take(&mut self.0);
        if analyzer.held() > HELD {
            return;
        }
        let mut at_rest = at_rest();
        if at_rest.len() < IDLE {
            at_rest.push(analyzer);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::terms::finding_terms;

    #[test]
    fn an_analyzer_that_has_read_much_is_dropped_and_a_used_one_makes_the_same_terms() {
        let many: Vec<String> = (0..HELD + 10).map(|number| format!("w{number}")).collect();
        lent().words(&many.join(" "));
        // Pairs of characters are terms without being words.
        let han: String = ('\u{4e00}'..).take(HELD + 10).collect();
        lent().read(&han, &mut Vec::new());
        assert!(at_rest().iter().all(|analyzer| analyzer.held() <= HELD));
        for _ in 0..2 {
            let mut analyzer = lent();
            let words = analyzer.words("parseHTTPUrl runs; running GitHub's runs");
            let terms: Vec<Vec<String>> = words
                .iter()
                .map(|word| word.forms.iter().map(|form| analyzer.term(form.term).to_owned()).collect())
                .collect();
            assert_eq!(terms, finding_terms("parseHTTPUrl runs; running GitHub's runs"));
        }
    }

    #[test]
    fn a_long_word_is_not_cached() {
        let mut analyzer = Analyzer::default();
        let long = format!("{} {}", "ab".repeat(5_000), "Ab".repeat(5_000));
        analyzer.words(&long);
        analyzer.read(&long, &mut Vec::new());
        assert!(analyzer.words.keys().chain(analyzer.forms.keys()).all(|word| word.len() <= 128));
    }
}
