//! Lists: filters, orders, pages, cursors, counts.

use super::{Check, assert_fails, expected, first_page, ids, read_all, store_samples, summaries_of};
use crate::domain::{Filter, Order, Phase, Prompt, PromptId, PromptOutline, PromptSummary, Ranking, Timestamp};
use crate::error::Code;
use crate::store::{Mutation, PageSpec, Store, samples};
use crate::time::from_millis;

pub(super) const CHECKS: &[Check] = &[
    Check { name: "each filter passes what it says", run: each_filter_passes_what_it_says },
    Check { name: "filters combine in every order", run: filters_combine_in_every_order },
    Check { name: "bounds of time are exact", run: bounds_of_time_are_exact },
    Check { name: "equal moments are ordered by id", run: equal_moments_are_ordered_by_id },
    Check { name: "unranked prompts come after ranked ones", run: unranked_prompts_come_after_ranked_ones },
    Check { name: "the last page has no cursor", run: the_last_page_has_no_cursor },
    Check { name: "an offset counts from the cursor", run: an_offset_counts_from_the_cursor },
    Check { name: "no row is lost or doubled while rows come and go", run: no_row_is_lost_or_doubled },
    Check { name: "a cursor of another list is refused", run: a_cursor_of_another_list_is_refused },
    Check { name: "summaries are prompts in short", run: summaries_are_prompts_in_short },
    Check { name: "outlines are prompts without their texts", run: outlines_are_prompts_without_their_texts },
    Check { name: "a limit out of range is refused", run: a_limit_out_of_range_is_refused },
];

const ORDERS: [Order; 3] = [Order::Newest, Order::Oldest, Order::Score];

/// Sixty prompts, a third of them ranked, some with equal scores, a few that end in an earlier phase.
fn corpus(store: &dyn Store) -> Vec<Prompt> {
    let mut prompts = samples::prompts(60);
    for (number, prompt) in (0_u32..).zip(&mut prompts) {
        prompt.score = (number % 3 == 0).then(|| f64::from(number % 4) / 4.0);
        prompt.phase = Phase::ALL[number as usize % 7 % 3];
    }
    // Not in order of creation.
    let (left, right): (Vec<Prompt>, Vec<Prompt>) = prompts.iter().cloned().partition(|prompt| prompt.variant == 1);
    store.append(right).wait().unwrap();
    store.append(left).wait().unwrap();
    prompts
}

fn assert_lists(store: &dyn Store, all: &[Prompt], filter: &Filter) {
    for order in ORDERS {
        let expected = expected(all, filter, order);
        let found = ids(&read_all(store, filter, order, 7));
        assert_eq!(found, expected, "{filter:?} {order:?}");
        assert_eq!(
            read_all_in_short(store, filter, order, 7),
            summaries_of(&read_all(store, filter, order, 7)),
            "{filter:?}"
        );
        assert_eq!(store.count(filter.clone()).wait().unwrap(), expected.len() as u64, "{filter:?}");
    }
}

/// All summaries of a list, read in pages of `limit`.
fn read_all_in_short(store: &dyn Store, filter: &Filter, order: Order, limit: u32) -> Vec<PromptSummary> {
    let (mut rows, mut cursor) = (Vec::new(), None);
    loop {
        let page = store.summaries(filter.clone(), order, PageSpec { limit, offset: 0, cursor }).wait().unwrap();
        assert!(page.items.len() <= limit as usize, "a page is longer than asked for");
        rows.extend(page.items);
        cursor = page.next_cursor;
        if cursor.is_none() {
            return rows;
        }
    }
}

fn tags(tags: &[&str]) -> Vec<String> {
    tags.iter().map(|&tag| tag.to_owned()).collect()
}

fn each_filter_passes_what_it_says(store: &dyn Store) {
    let all = corpus(store);
    let none = Filter::default;
    let filters = [
        none(),
        Filter { tags: tags(&["sea"]), ..none() },
        Filter { tags: tags(&["tag-3"]), ..none() },
        Filter { tags: tags(&["sea", "tag-3"]), ..none() },
        Filter { tags: tags(&["tag-3", "sea"]), ..none() },
        Filter { tags: tags(&["tag-3", "tag-4"]), ..none() },
        Filter { tags: tags(&["unknown"]), ..none() },
        Filter { tags: tags(&["SEA"]), ..none() },
        Filter { phase: Some(Phase::Solutio), ..none() },
        Filter { provider: Some("openai".into()), ..none() },
        Filter { model: Some("model-2".into()), ..none() },
        Filter { persona: Some("code".into()), ..none() },
        Filter { persona: Some("cod".into()), ..none() },
        Filter { session_id: Some(samples::session_id(31)), ..none() },
        Filter { since: Some(samples::moment(40)), ..none() },
        Filter { until: Some(samples::moment(20)), ..none() },
    ];
    for filter in filters {
        assert_lists(store, &all, &filter);
    }
}

fn filters_combine_in_every_order(store: &dyn Store) {
    let all = corpus(store);
    // A mixed-radix number selects each condition or none; the step covers many combinations.
    for pick in (0..4 * 3 * 3 * 3 * 3 * 2 * 3_usize).step_by(11) {
        let mut rest = pick;
        let mut next = |choices: usize| {
            let choice = rest % choices;
            rest /= choices;
            choice
        };
        let filter = Filter {
            tags: tags([&[][..], &["sea"], &["tag-1"], &["sea", "tag-2"]][next(4)]),
            phase: [None, Some(Phase::PrimaMateria), Some(Phase::Coagulatio)][next(3)],
            provider: [None, Some("builtin"), Some("ollama")][next(3)].map(Into::into),
            model: [None, Some("model-0"), Some("model-1")][next(3)].map(Into::into),
            persona: [None, Some("writing"), Some("code")][next(3)].map(Into::into),
            session_id: [None, Some(samples::session_id(12))][next(2)],
            since: [None, Some(samples::moment(10)), Some(samples::moment(13))][next(3)],
            until: [None, Some(samples::moment(50))][pick % 2],
        };
        assert_lists(store, &all, &filter);
    }
}

fn bounds_of_time_are_exact(store: &dyn Store) {
    let all = store_samples(store, 3);
    let moment = samples::moment(1);
    let nanos = |more: i128| Timestamp::from_nanosecond(moment.as_nanosecond() + more).unwrap();
    for bound in [moment, nanos(1), nanos(-1), nanos(1_000_000), nanos(-1_000_000), Timestamp::MIN, Timestamp::MAX] {
        assert_lists(store, &all, &Filter { since: Some(bound), ..Filter::default() });
        assert_lists(store, &all, &Filter { until: Some(bound), ..Filter::default() });
        assert_lists(store, &all, &Filter { since: Some(bound), until: Some(bound), ..Filter::default() });
    }
}

fn equal_moments_are_ordered_by_id(store: &dyn Store) {
    let mut all = samples::prompts(25);
    for prompt in &mut all {
        prompt.created_at = samples::moment(0);
        prompt.score = Some(0.5);
    }
    store.append(all.clone()).wait().unwrap();
    assert_lists(store, &all, &Filter::default());
    assert_lists(store, &all, &Filter { tags: tags(&["sea"]), ..Filter::default() });
}

fn unranked_prompts_come_after_ranked_ones(store: &dyn Store) {
    let mut all = store_samples(store, 20);
    let rankings: Vec<Ranking> = (1_u32..)
        .zip(all.iter_mut().step_by(2))
        .map(|(rank, prompt)| {
            let score = f64::from(rank % 3) / 4.0;
            prompt.score = Some(score);
            prompt.score_formula = Some(1);
            samples::ranking(prompt.id, rank, score)
        })
        .collect();
    store.apply(Mutation::Rank { rankings }).wait().unwrap();
    assert_lists(store, &all, &Filter::default());
    let last = read_all(store, &Filter::default(), Order::Score, 3).pop().unwrap();
    assert_eq!(last.score, None);
}

fn the_last_page_has_no_cursor(store: &dyn Store) {
    let all = store_samples(store, 10);
    for (limit, pages) in [(3, 4), (5, 2), (9, 2), (10, 1), (11, 1), (1000, 1)] {
        let mut cursor = None;
        let mut seen = 0;
        for page in 1..=pages {
            let found =
                store.page(Filter::default(), Order::Newest, PageSpec { limit, offset: 0, cursor }).wait().unwrap();
            assert!(!found.items.is_empty(), "an empty page of {limit}");
            assert_eq!(found.next_cursor.is_none(), page == pages, "page {page} of {limit}");
            seen += found.items.len();
            cursor = found.next_cursor;
        }
        assert_eq!(seen, all.len());
    }
}

fn an_offset_counts_from_the_cursor(store: &dyn Store) {
    let all = store_samples(store, 20);
    for order in ORDERS {
        let expected = expected(&all, &Filter::default(), order);
        let first = store.page(Filter::default(), order, first_page(5)).wait().unwrap();
        let page = |offset, cursor| {
            let found = store.page(Filter::default(), order, PageSpec { limit: 4, offset, cursor }).wait().unwrap();
            ids(&found.items)
        };
        assert_eq!(page(3, None), expected[3..7]);
        assert_eq!(page(2, first.next_cursor.clone()), expected[7..11]);
        assert_eq!(page(14, first.next_cursor.clone()), expected[19..]);
        assert_eq!(page(15, first.next_cursor), Vec::<PromptId>::new());
        assert_eq!(page(u64::MAX, None), Vec::<PromptId>::new());
    }
}

fn no_row_is_lost_or_doubled(store: &dyn Store) {
    let all = store_samples(store, 40);
    for (round, order) in (0_u32..).zip([Order::Newest, Order::Oldest]) {
        let mut seen: Vec<PromptId> = Vec::new();
        let mut cursor = None;
        let mut inserted = 1000 * (round + 1);
        loop {
            let page = store.page(Filter::default(), order, PageSpec { limit: 6, offset: 0, cursor }).wait().unwrap();
            seen.extend(ids(&page.items));
            cursor = page.next_cursor;
            if cursor.is_none() {
                break;
            }
            // Before the first row, after the last, in the middle; and the cursor's row is deleted.
            for created_at in [from_millis(1), samples::moment(inserted), from_millis(samples::EPOCH_MS + 1)] {
                inserted += 1;
                let prompt = Prompt { created_at, ..samples::prompt(inserted) };
                store.append(vec![prompt]).wait().unwrap();
            }
            let last = *seen.last().unwrap();
            store.apply(Mutation::Delete { ids: vec![last], expected_revision: None }).wait().unwrap();
            store
                .append(vec![
                    all.iter().find(|prompt| prompt.id == last).cloned().unwrap_or(samples::prompt(inserted + 500)),
                ])
                .wait()
                .unwrap();
        }
        let mut distinct = seen.clone();
        distinct.sort_unstable();
        distinct.dedup();
        assert_eq!(distinct.len(), seen.len(), "a row came twice in {order:?}");
        for prompt in &all {
            assert!(seen.contains(&prompt.id), "a row was lost in {order:?}");
        }
    }
}

fn a_cursor_of_another_list_is_refused(store: &dyn Store) {
    store_samples(store, 10);
    let cursor_of = |order| store.page(Filter::default(), order, first_page(2)).wait().unwrap().next_cursor.unwrap();
    let page = |order, cursor: &str| {
        let page = PageSpec { limit: 2, offset: 0, cursor: Some(cursor.to_owned()) };
        store.page(Filter::default(), order, page).wait()
    };
    for order in ORDERS {
        page(order, &cursor_of(order)).unwrap();
        for other in ORDERS.into_iter().filter(|other| *other != order) {
            assert_fails(page(order, &cursor_of(other)), Code::ValidationFailed);
        }
        for nonsense in ["", "x", "🦀", &"0".repeat(66), &cursor_of(order)[1..], "'; --"] {
            let error = page(order, nonsense).unwrap_err();
            assert_eq!(error.faults()[0].field, "cursor", "{nonsense:?}");
        }
    }
    let runs = PageSpec { limit: 1, offset: 0, cursor: Some(cursor_of(Order::Newest)) };
    assert_fails(store.sessions(runs).wait(), Code::ValidationFailed);
}

fn a_limit_out_of_range_is_refused(store: &dyn Store) {
    store_samples(store, 2);
    for limit in [0, 1001, u32::MAX] {
        let error = store.page(Filter::default(), Order::Newest, first_page(limit)).wait().unwrap_err();
        assert_eq!(error.faults()[0].field, "limit");
        assert_fails(
            store.summaries(Filter::default(), Order::Newest, first_page(limit)).wait(),
            Code::ValidationFailed,
        );
        assert_fails(store.sessions(first_page(limit)).wait(), Code::ValidationFailed);
        assert_fails(store.sessions_with_summaries(first_page(limit)).wait(), Code::ValidationFailed);
    }
}

fn outlines_are_prompts_without_their_texts(store: &dyn Store) {
    let blank = Prompt { original_input: " \n\t".into(), content: "über\0 x".into(), ..samples::prompt(40) };
    let mut all = store_samples(store, 12);
    store.append(vec![blank.clone()]).wait().unwrap();
    all.push(blank);
    for filter in [Filter::default(), Filter { tags: vec!["sea".into(), "tag-1".into()], ..Filter::default() }] {
        let expected: Vec<PromptOutline> = expected(&all, &filter, Order::Newest)
            .into_iter()
            .filter_map(|id| all.iter().find(|prompt| prompt.id == id))
            .map(|prompt| PromptOutline {
                id: prompt.id,
                subject: if prompt.id == samples::prompt(40).id {
                    "über\0 x".into()
                } else {
                    prompt.original_input.clone()
                },
                content_bytes: prompt.content.len() as u64,
                persona: prompt.persona.clone(),
                tags: prompt.tags.clone(),
                notes: prompt.notes.clone(),
                revision: prompt.revision,
                created_at: prompt.created_at,
                updated_at: prompt.updated_at,
            })
            .collect();
        assert!(!expected.is_empty());
        let (mut found, mut cursor) = (Vec::new(), None);
        loop {
            let page = store.outlines(filter.clone(), PageSpec { limit: 5, offset: 0, cursor }).wait().unwrap();
            assert!(page.items.len() <= 5);
            found.extend(page.items);
            cursor = page.next_cursor;
            if cursor.is_none() {
                break;
            }
        }
        assert_eq!(found, expected);
    }
    for limit in [0, 1001] {
        assert_fails(store.outlines(Filter::default(), first_page(limit)).wait(), Code::ValidationFailed);
    }
    let cursor = Some("nonsense".to_owned());
    let page = PageSpec { limit: 5, offset: 0, cursor };
    assert_fails(store.outlines(Filter::default(), page).wait(), Code::ValidationFailed);
}

fn summaries_are_prompts_in_short(store: &dyn Store) {
    let mut all = samples::prompts(12);
    all[3].tags = vec!["z".into(), "a \"quoted\", one".into(), "nul\0 海 \u{1b}".into()];
    all[4].tags.clear();
    all[5].original_input = "with\0nul".into();
    all[6].notes = None;
    store.append(all.clone()).wait().unwrap();
    let unknown = samples::prompts(30)[29].id;
    let asked = vec![all[5].id, unknown, all[3].id, all[4].id, all[6].id, all[11].id];
    let expected = summaries_of(&[&all[5], &all[3], &all[4], &all[6], &all[11]].map(Clone::clone));
    assert_eq!(store.fetch_summaries(asked).wait().unwrap(), expected);
    assert_eq!(store.fetch_summaries(Vec::new()).wait().unwrap(), []);
    assert_lists(store, &all, &Filter::default());
    let second = PageSpec { limit: 4, offset: 5, cursor: None };
    let page = store.summaries(Filter::default(), Order::Newest, second.clone()).wait().unwrap();
    let whole = store.page(Filter::default(), Order::Newest, second).wait().unwrap();
    assert_eq!((page.items, page.next_cursor), (summaries_of(&whole.items), whole.next_cursor));
}
