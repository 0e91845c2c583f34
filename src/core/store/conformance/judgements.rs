//! Judgements, stored as long as one of their prompts is and found by each; and judge profiles.

use super::{Check, assert_fails, store_samples};
use crate::domain::{Calibration, Filter, JudgeProfile, Judgement, PromptId};
use crate::error::Code;
use crate::store::{Mutation, Store, samples};

pub(super) const CHECKS: &[Check] = &[
    Check { name: "a judgement is read back as it was", run: a_judgement_is_read_back_as_it_was },
    Check { name: "a judgement is found by every candidate", run: a_judgement_is_found_by_every_candidate },
    Check { name: "judgements come newest first", run: judgements_come_newest_first },
    Check { name: "a judgement of nothing stored is not kept", run: a_judgement_of_nothing_stored_is_not_kept },
    Check { name: "a judgement that is known conflicts", run: a_judgement_that_is_known_conflicts },
    Check { name: "a judgement that cannot be written leaves nothing", run: a_judgement_that_cannot_be_written },
    Check { name: "a judgement goes with its last candidate", run: a_judgement_goes_with_its_last_candidate },
    Check { name: "deleting everything clears the judgements", run: deleting_everything_clears_the_judgements },
    Check { name: "a candidate that comes back finds its judgements", run: a_candidate_that_comes_back },
    Check { name: "the later profile of a judge counts", run: the_later_profile_of_a_judge_counts },
    Check { name: "profiles outlive prompts", run: profiles_outlive_prompts },
];

fn record(store: &dyn Store, seed: u32, candidates: &[u32]) -> Judgement {
    let judgement = samples::judgement(seed, candidates);
    assert!(store.record(judgement.clone()).wait().unwrap(), "one of its candidates is stored");
    judgement
}

fn of(store: &dyn Store, seed: u32) -> Vec<Judgement> {
    store.judgements_of(PromptId(samples::id(seed)), 100).wait().unwrap()
}

fn delete(store: &dyn Store, seeds: &[u32]) {
    let ids = seeds.iter().map(|seed| PromptId(samples::id(*seed))).collect();
    store.apply(Mutation::Delete { ids, expected_revision: None }).wait().unwrap();
}

fn a_judgement_is_read_back_as_it_was(store: &dyn Store) {
    store_samples(store, 64);
    let all: Vec<u32> = (0..64).collect();
    for (seed, candidates) in [(70, &all[..]), (71, &all[..2])] {
        let judgement = record(store, seed, candidates);
        assert_eq!(store.judgement(judgement.id).wait().unwrap(), Some(judgement));
    }
    assert_eq!(store.judgement(samples::judgement(99, &[0]).id).wait().unwrap(), None);
}

fn a_judgement_is_found_by_every_candidate(store: &dyn Store) {
    store_samples(store, 5);
    let judgement = record(store, 70, &[3, 1, 4]);
    for seed in 0..5 {
        let expected = if [1, 3, 4].contains(&seed) { vec![judgement.clone()] } else { Vec::new() };
        assert_eq!(of(store, seed), expected);
    }
}

fn judgements_come_newest_first(store: &dyn Store) {
    store_samples(store, 3);
    let mut all: Vec<Judgement> = [71, 74, 70, 73].into_iter().map(|seed| record(store, seed, &[0, 2])).collect();
    all.sort_by_key(|judgement| std::cmp::Reverse(judgement.created_at));
    assert_eq!(of(store, 2), all);
    assert_eq!(store.judgements_of(PromptId(samples::id(2)), 3).wait().unwrap(), all[..3]);
}

fn a_judgement_of_nothing_stored_is_not_kept(store: &dyn Store) {
    let judgement = samples::judgement(70, &[0, 1]);
    assert!(!store.record(judgement.clone()).wait().unwrap());
    assert_eq!(store.judgement(judgement.id).wait().unwrap(), None);
    store_samples(store, 1);
    assert!(of(store, 0).is_empty());
    assert!(store.record(judgement).wait().unwrap(), "one of two is stored now");
}

fn a_judgement_that_is_known_conflicts(store: &dyn Store) {
    store_samples(store, 3);
    let judgement = record(store, 70, &[0, 1]);
    let other = Judgement { task: "other".into(), ..samples::judgement(70, &[0, 2]) };
    assert_fails(store.record(other).wait(), Code::Conflict);
    assert_eq!(of(store, 0), [judgement]);
    assert!(of(store, 2).is_empty());
}

fn a_judgement_that_cannot_be_written(store: &dyn Store) {
    store_samples(store, 3);
    let mut broken = vec![samples::judgement(70, &[0, 1]); 4];
    broken[0].verdicts[0].margin = f64::NAN;
    broken[1].ratings[1].score = f64::INFINITY;
    broken[2].candidates[1].cost_usd = Some(f64::NAN);
    broken[3].conclusion.confidence = f64::NAN;
    for judgement in broken {
        assert_fails(store.record(judgement).wait(), Code::ValidationFailed);
    }
    assert!(of(store, 0).is_empty());
}

fn a_judgement_goes_with_its_last_candidate(store: &dyn Store) {
    store_samples(store, 6);
    let (kept, other) = (record(store, 70, &[0, 1, 2]), record(store, 71, &[1, 5]));
    delete(store, &[1]);
    assert_eq!((of(store, 0), of(store, 5)), (vec![kept.clone()], vec![other.clone()]));
    assert_eq!(of(store, 1), [other.clone(), kept.clone()], "they still say what it was");
    let until_the_third = Filter { until: Some(samples::moment(3)), ..Filter::default() };
    store.apply(Mutation::DeleteWhere { filter: until_the_third }).wait().unwrap();
    assert_eq!(store.judgement(kept.id).wait().unwrap(), None);
    assert_eq!(of(store, 5), std::slice::from_ref(&other));
    delete(store, &[5, 5, 77]);
    assert_eq!(store.judgement(other.id).wait().unwrap(), None);
    assert!(of(store, 1).is_empty());
}

fn deleting_everything_clears_the_judgements(store: &dyn Store) {
    store_samples(store, 3);
    let judgements = [record(store, 70, &[0, 1]), record(store, 71, &[2, 77])];
    store.apply(Mutation::DeleteWhere { filter: Filter::default() }).wait().unwrap();
    for judgement in judgements {
        assert_eq!(store.judgement(judgement.id).wait().unwrap(), None);
    }
    assert!(of(store, 77).is_empty());
}

fn a_candidate_that_comes_back(store: &dyn Store) {
    let all = store_samples(store, 2);
    let judgement = record(store, 70, &[0, 1]);
    delete(store, &[0]);
    store.append(vec![all[0].clone()]).wait().unwrap();
    delete(store, &[1]);
    assert_eq!(of(store, 0), [judgement]);
}

fn the_later_profile_of_a_judge_counts(store: &dyn Store) {
    let profiles = || store.profiles().wait().unwrap();
    assert!(profiles().is_empty() && store.profile(samples::judge(0)).wait().unwrap().is_none());
    for seed in [5, 0, 2, 1] {
        store.put_profile(samples::profile(seed)).wait().unwrap();
    }
    let mut expected: Vec<JudgeProfile> = [5, 0, 2, 1].map(samples::profile).into();
    expected.sort_by(|a, b| a.judge.cmp(&b.judge));
    assert_eq!(profiles(), expected);

    let later = JudgeProfile { audited_at: samples::moment(9), usable: false, ..samples::profile(0) };
    store.put_profile(later.clone()).wait().unwrap();
    store.put_profile(samples::profile(0)).wait().unwrap();
    assert_eq!(store.profile(samples::judge(0)).wait().unwrap(), Some(later));
    assert_eq!(profiles().len(), 4);
    let broken = JudgeProfile { length_slope: Some(f64::NAN), audited_at: samples::moment(10), ..samples::profile(0) };
    assert_fails(store.put_profile(broken).wait(), Code::ValidationFailed);
    let calibration = Calibration { joint_scatter: f64::INFINITY, ..samples::calibration() };
    let audited_at = samples::moment(10);
    let broken = JudgeProfile { calibration: Some(calibration), audited_at, ..samples::profile(0) };
    assert_fails(store.put_profile(broken).wait(), Code::ValidationFailed);
}

fn profiles_outlive_prompts(store: &dyn Store) {
    store_samples(store, 1);
    store.put_profile(samples::profile(3)).wait().unwrap();
    store.apply(Mutation::DeleteWhere { filter: Filter::default() }).wait().unwrap();
    assert_eq!(store.profiles().wait().unwrap(), [samples::profile(3)]);
}
