//! Embeds many texts on many cores: tokens first, then batches of similar length, longest first.
//!
//! Owns the distribution; it blocks on its threads, so async callers run it on a blocking thread.
//! What always holds: vectors are in the order of the texts; cancelling stops further batches.

use std::ops::Range;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use tokio_util::sync::CancellationToken;

use super::model::Model;

/// Tokens per batch: enough to amortise loading the matrices, few enough to stay cached.
const MOST_TOKENS: usize = 512;
/// Fewer tokens are not worth a thread.
const FEWEST_TOKENS: usize = 64;

/// Vectors in the order of the texts, and the number of tokens.
#[derive(Default)]
pub(super) struct EmbeddedTexts {
    pub(super) vectors: Vec<Vec<f32>>,
    pub(super) tokens: u64,
}

/// Embeds all texts; `None` when cancelled.
pub(super) fn embed(model: &Model, texts: &[&str], cancelled: &CancellationToken) -> Option<EmbeddedTexts> {
    let mut tokens = Vec::with_capacity(texts.len());
    for text in texts {
        if cancelled.is_cancelled() {
            return None;
        }
        tokens.push(model.vocabulary.tokens(text));
    }
    let mut order: Vec<usize> = (0..tokens.len()).collect();
    order.sort_by_key(|text| std::cmp::Reverse(tokens[*text].len()));
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let lengths: Vec<usize> = order.iter().map(|text| tokens[*text].len()).collect();
    let batches = batches(&lengths, cores);

    let next = AtomicUsize::new(0);
    let work = || {
        let mut done = Vec::new();
        while !cancelled.is_cancelled() {
            let Some(batch) = batches.get(next.fetch_add(1, Ordering::Relaxed)) else { return Some(done) };
            let members = &order[batch.clone()];
            let rows: Vec<&[u16]> = members.iter().map(|text| tokens[*text].as_slice()).collect();
            done.extend(members.iter().copied().zip(model.vectors(&rows)));
        }
        None
    };
    let helpers = cores.min(batches.len()).saturating_sub(1);
    let parts: Option<Vec<_>> = thread::scope(|scope| {
        let helpers: Vec<_> = (0..helpers).map(|_| scope.spawn(work)).collect();
        let own = work();
        // Join all helpers, even if one panicked.
        let others: Vec<_> =
            helpers.into_iter().map(|helper| helper.join().unwrap_or_else(|panic| resume_unwind(panic))).collect();
        std::iter::once(own).chain(others).collect()
    });
    let mut vectors = vec![Vec::new(); texts.len()];
    for (text, vector) in parts?.into_iter().flatten() {
        vectors[text] = vector;
    }
    Some(EmbeddedTexts { vectors, tokens: lengths.iter().map(|length| *length as u64).sum() })
}

/// Batches neighbours by length: limited tokens but at least one text, and work for every core.
fn batches(lengths: &[usize], cores: usize) -> Vec<Range<usize>> {
    let share = lengths.iter().sum::<usize>().div_ceil(cores);
    let most = share.clamp(FEWEST_TOKENS, MOST_TOKENS);
    let mut batches: Vec<Range<usize>> = Vec::new();
    let mut held = 0;
    for (text, length) in lengths.iter().enumerate() {
        match batches.last_mut() {
            Some(batch) if held + length <= most => batch.end = text + 1,
            _ => {
                batches.push(text..text + 1);
                held = 0;
            }
        }
        held += length;
    }
    batches
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_few_texts_are_divided_among_the_cores() {
        assert_eq!(batches(&[256; 4], 2), [0..2, 2..4]);
        assert_eq!(batches(&[100; 4], 2), [0..2, 2..4]);
        assert_eq!(batches(&[10; 4], 2), [Range { start: 0, end: 4 }], "too little to divide");
        assert!(batches(&[], 2).is_empty());
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(128))]

        #[test]
        fn batches_hold_each_text_once_and_are_never_too_large(
            lengths in proptest::collection::vec(2_usize..=256, 0..60),
            cores in 1_usize..9,
        ) {
            let batches = batches(&lengths, cores);
            let texts: Vec<usize> = batches.iter().cloned().flatten().collect();
            prop_assert_eq!(texts, (0..lengths.len()).collect::<Vec<_>>());
            for batch in batches {
                prop_assert!(batch.len() == 1 || lengths[batch].iter().sum::<usize>() <= MOST_TOKENS);
            }
        }
    }
}
