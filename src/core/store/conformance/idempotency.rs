//! Idempotency keys: claimed by one request at a time, answered once, of one owner each.

use std::thread;
use std::time::Duration;

use uuid::Uuid;

use super::Check;
use crate::domain::{Filter, PromptId, SessionId};
use crate::store::{Fingerprint, HeldKey, KeyClaim, KeyedAnswer, Mutation, NewKeyClaim, Store, samples};

pub(super) const CHECKS: &[Check] = &[
    Check { name: "a key is held by one claim until it is answered", run: a_key_is_held_by_one },
    Check { name: "an answer is read back as it was", run: an_answer_is_read_back },
    Check { name: "a key belongs to its request", run: a_key_belongs_to_its_request },
    Check { name: "keys of different owners never meet", run: owners_never_meet },
    Check { name: "a released key is unknown", run: a_released_key_is_unknown },
    Check {
        name: "a key whose holder died can be claimed, and its holder cannot answer",
        run: a_dead_holder_is_followed,
    },
    Check { name: "a renewed key is held", run: a_renewed_key_is_held },
    Check { name: "an answer expires", run: an_answer_expires },
    Check { name: "of many claims of a key one holds it", run: one_of_many_holds_it },
    Check { name: "the text of an answer goes with the prompts of its run", run: a_text_goes_with_its_prompts },
];

const LONG: Duration = Duration::from_mins(10);

fn held(owner: &str, key: &str, claim: u32) -> HeldKey {
    HeldKey { owner: owner.to_owned(), key: key.to_owned(), claim: samples::id(claim) }
}

fn claim_for(store: &dyn Store, held: HeldKey, request: &str, lease: Duration) -> KeyClaim {
    let fingerprint = Fingerprint::of([request.as_bytes()]);
    store.claim_key(NewKeyClaim { held, fingerprint, lease }).wait().unwrap()
}

/// Claims key `k` for the request `r`.
fn claim(store: &dyn Store, claim: u32) -> KeyClaim {
    claim_for(store, held("", "k", claim), "r", LONG)
}

fn answer(run: Option<u32>, body: &[u8]) -> KeyedAnswer {
    let headers = [("content-type", "application/json"), ("x-total-count", "3")];
    KeyedAnswer {
        run: run.map(|seed| SessionId(samples::id(seed))),
        status: 202,
        headers: headers.map(|(name, value)| (name.to_owned(), value.to_owned())).into(),
        body: Some(body.to_vec()),
    }
}

fn store_answer(store: &dyn Store, held: HeldKey, answer: &KeyedAnswer) {
    store.answer_key(held, answer.clone(), LONG).wait().unwrap();
}

/// Lets a lease or an answer of no duration run out.
fn pass() {
    thread::sleep(Duration::from_millis(5));
}

fn a_key_is_held_by_one(store: &dyn Store) {
    assert_eq!(claim(store, 1), KeyClaim::Held);
    assert_eq!(claim(store, 2), KeyClaim::InProgress);
    store_answer(store, held("", "k", 2), &answer(None, b"of a claim that holds nothing"));
    assert_eq!(claim(store, 3), KeyClaim::InProgress);
    let given = answer(None, b"{}");
    store_answer(store, held("", "k", 1), &given);
    assert_eq!(claim(store, 4), KeyClaim::Answered(given.clone()));
    store_answer(store, held("", "k", 1), &answer(None, b"a second one"));
    store.release_key(held("", "k", 1)).wait().unwrap();
    assert!(!store.renew_key(held("", "k", 1), LONG).wait().unwrap());
    assert_eq!(claim(store, 5), KeyClaim::Answered(given));
}

fn an_answer_is_read_back(store: &dyn Store) {
    let large: Vec<u8> = (0..=255).cycle().take(3_000_000).collect();
    for (number, body) in [(1, &large[..]), (2, b""), (3, b"\0\xff")] {
        let (held, key) = (held("", &number.to_string(), number), number.to_string());
        assert_eq!(claim_for(store, held.clone(), "r", LONG), KeyClaim::Held);
        let given = answer(Some(number), body);
        store_answer(store, held, &given);
        let again = self::held("", &key, number + 10);
        assert_eq!(claim_for(store, again, "r", LONG), KeyClaim::Answered(given));
    }
    let (first, second) = (held("", "x", 4), held("", "x", 5));
    assert_eq!(claim_for(store, first.clone(), "r", LONG), KeyClaim::Held);
    let too_large = KeyedAnswer { body: None, ..answer(None, b"") };
    store_answer(store, first, &too_large);
    assert_eq!(claim_for(store, second, "r", LONG), KeyClaim::Answered(too_large));
}

fn a_key_belongs_to_its_request(store: &dyn Store) {
    assert_eq!(claim(store, 1), KeyClaim::Held);
    let other = || claim_for(store, held("", "k", 2), "another request", LONG);
    assert_eq!(other(), KeyClaim::OtherRequest);
    store_answer(store, held("", "k", 1), &answer(None, b"{}"));
    assert_eq!(other(), KeyClaim::OtherRequest);
}

fn owners_never_meet(store: &dyn Store) {
    for (number, owner) in ["", "a", "b"].into_iter().enumerate() {
        let claim = u32::try_from(number).unwrap();
        assert_eq!(claim_for(store, held(owner, "k", claim), owner, LONG), KeyClaim::Held, "{owner}");
    }
    store_answer(store, held("a", "k", 1), &answer(None, b"a's"));
    assert_eq!(claim_for(store, held("b", "k", 9), "b", LONG), KeyClaim::InProgress);
    store_answer(store, held("a", "k", 2), &answer(None, b"another owner's claim"));
    assert_eq!(claim_for(store, held("b", "k", 9), "b", LONG), KeyClaim::InProgress);
    assert_eq!(claim_for(store, held("a", "k", 9), "a", LONG), KeyClaim::Answered(answer(None, b"a's")));
}

fn a_released_key_is_unknown(store: &dyn Store) {
    assert_eq!(claim(store, 1), KeyClaim::Held);
    store.release_key(held("", "k", 2)).wait().unwrap();
    assert_eq!(claim(store, 3), KeyClaim::InProgress);
    store.release_key(held("", "k", 1)).wait().unwrap();
    assert_eq!(claim_for(store, held("", "k", 4), "another request", LONG), KeyClaim::Held);
}

fn a_dead_holder_is_followed(store: &dyn Store) {
    assert_eq!(claim_for(store, held("", "k", 1), "r", Duration::ZERO), KeyClaim::Held);
    pass();
    assert_eq!(claim(store, 2), KeyClaim::Held);
    assert!(!store.renew_key(held("", "k", 1), LONG).wait().unwrap());
    store_answer(store, held("", "k", 1), &answer(None, b"too late"));
    store.release_key(held("", "k", 1)).wait().unwrap();
    assert_eq!(claim(store, 3), KeyClaim::InProgress);
    store_answer(store, held("", "k", 2), &answer(None, b"{}"));
    assert_eq!(claim(store, 4), KeyClaim::Answered(answer(None, b"{}")));
}

fn a_renewed_key_is_held(store: &dyn Store) {
    assert_eq!(claim_for(store, held("", "k", 1), "r", Duration::from_mins(1)), KeyClaim::Held);
    assert!(store.renew_key(held("", "k", 1), LONG).wait().unwrap());
    assert_eq!(claim(store, 2), KeyClaim::InProgress);
    assert!(store.renew_key(held("", "k", 1), Duration::ZERO).wait().unwrap());
    pass();
    assert_eq!(claim(store, 3), KeyClaim::Held);
}

fn an_answer_expires(store: &dyn Store) {
    assert_eq!(store.delete_expired_keys().wait().unwrap(), 0);
    for (key, claim) in [("k", 1), ("l", 2), ("m", 3)] {
        assert_eq!(claim_for(store, held("", key, claim), "r", LONG), KeyClaim::Held);
        let stored_for = if key == "m" { LONG } else { Duration::ZERO };
        store.answer_key(held("", key, claim), answer(None, b"{}"), stored_for).wait().unwrap();
    }
    pass();
    assert_eq!(claim_for(store, held("", "k", 4), "another request", Duration::ZERO), KeyClaim::Held);
    pass();
    assert_eq!(store.delete_expired_keys().wait().unwrap(), 1, "the claim that was left; the claim deleted the rest");
    assert_eq!(claim_for(store, held("", "m", 5), "r", LONG), KeyClaim::Answered(answer(None, b"{}")));
}

fn one_of_many_holds_it(store: &dyn Store) {
    let claims: Vec<KeyClaim> = thread::scope(|scope| {
        let claims: Vec<_> = (0..8).map(|number| scope.spawn(move || claim(store, number))).collect();
        claims.into_iter().map(|claim| claim.join().unwrap()).collect()
    });
    assert_eq!(claims.iter().filter(|claim| **claim == KeyClaim::Held).count(), 1, "{claims:?}");
    assert!(claims.iter().all(|claim| matches!(claim, KeyClaim::Held | KeyClaim::InProgress)), "{claims:?}");
}

fn a_text_goes_with_its_prompts(store: &dyn Store) {
    let prompts = samples::prompts(4);
    store.append(prompts.clone()).wait().unwrap();
    let run = prompts[0].session_id;
    let of_run: Vec<PromptId> = prompts.iter().filter(|it| it.session_id == run).map(|it| it.id).collect();
    let other = SessionId(Uuid::nil());
    let body_of = |key: &str, claim: u32| match claim_for(store, held("", key, claim), "r", LONG) {
        KeyClaim::Answered(answer) => answer.body.is_some(),
        other => panic!("it should be answered: {other:?}"),
    };
    for (key, claim, run) in [("k", 1, run), ("l", 2, other)] {
        assert_eq!(claim_for(store, held("", key, claim), "r", LONG), KeyClaim::Held);
        store_answer(store, held("", key, claim), &KeyedAnswer { run: Some(run), ..answer(None, b"{}") });
    }
    store
        .apply(Mutation::Trash { ids: of_run.clone(), expected_revision: None, at: samples::moment(9) })
        .wait()
        .unwrap();
    assert_eq!((body_of("k", 3), body_of("l", 4)), (true, true), "what is in the trash can be restored");
    store.apply(Mutation::EmptyTrash { ids: Some(of_run), before: None }).wait().unwrap();
    assert_eq!((body_of("k", 5), body_of("l", 6)), (false, true));
    store.apply(Mutation::DeleteWhere { filter: Filter::default() }).wait().unwrap();
    assert_eq!((body_of("k", 7), body_of("l", 8)), (false, false));
}
