//! Shortened ids.

use super::{Check, ids, store_samples};
use crate::domain::{Prompt, PromptId};
use crate::store::{Store, samples};

pub(super) const CHECKS: &[Check] = &[
    Check { name: "an id is found by its beginning and by its end", run: an_id_is_found_by_both_ends },
    Check { name: "dashes and case are ignored", run: dashes_and_case_are_ignored },
    Check { name: "an ambiguous fragment gives the newest first", run: an_ambiguous_fragment_gives_the_newest_first },
    Check { name: "a fragment that is none matches nothing", run: a_fragment_that_is_none_matches_nothing },
];

fn resolve(store: &dyn Store, fragment: &str) -> Vec<PromptId> {
    store.resolve(fragment.to_owned(), 100).wait().unwrap()
}

fn hex(id: PromptId) -> String {
    id.0.simple().to_string()
}

fn an_id_is_found_by_both_ends(store: &dyn Store) {
    let all = store_samples(store, 40);
    for length in 1..=32 {
        for prompt in all.iter().step_by(7) {
            let digits = hex(prompt.id);
            for fragment in [&digits[..length], &digits[32 - length..]] {
                let mut expected: Vec<PromptId> = ids(&all)
                    .into_iter()
                    .filter(|id| hex(*id).starts_with(fragment) || hex(*id).ends_with(fragment))
                    .collect();
                // Later seeds are newer.
                expected.reverse();
                assert_eq!(resolve(store, fragment), expected, "{fragment}");
            }
        }
    }
}

fn dashes_and_case_are_ignored(store: &dyn Store) {
    let prompt = &store_samples(store, 1)[0];
    let whole = prompt.id.to_string();
    assert_eq!(resolve(store, &whole), [prompt.id]);
    assert_eq!(resolve(store, &whole.to_uppercase()), [prompt.id]);
    assert_eq!(resolve(store, &whole[..15]), [prompt.id]);
    assert_eq!(resolve(store, &whole[15..]), [prompt.id]);
    assert_eq!(resolve(store, &prompt.id.short().to_uppercase()), [prompt.id]);
}

fn an_ambiguous_fragment_gives_the_newest_first(store: &dyn Store) {
    let mut all = samples::prompts(12);
    for prompt in all.iter_mut().take(4) {
        // The oldest ids belong to the newest prompts.
        prompt.created_at = samples::moment(100 - prompt.variant);
    }
    store.append(all.clone()).wait().unwrap();
    all.sort_by_key(|prompt: &Prompt| std::cmp::Reverse((prompt.created_at, prompt.id)));
    let beginning = &hex(all[0].id)[..6];
    assert_eq!(resolve(store, beginning), ids(&all));
    assert_eq!(store.resolve(beginning.into(), 3).wait().unwrap(), ids(&all)[..3]);
    assert_eq!(store.resolve(beginning.into(), 0).wait().unwrap(), []);
}

fn a_fragment_that_is_none_matches_nothing(store: &dyn Store) {
    let prompt = &store_samples(store, 5)[0];
    let too_long = format!("{}0", hex(prompt.id));
    for fragment in ["", "-", "xyz", "%", "_", "0'", "0 1", "٣", &too_long, "fedcba9876543210"] {
        assert_eq!(resolve(store, fragment), [], "{fragment:?}");
    }
}
