//! Percentiles against a naive sort, and groups against the total.

use proptest::collection::vec;
use proptest::prelude::*;

use super::*;
use crate::store::samples;

fn spread(numbers: &[u64]) -> Option<Spread> {
    let mut all = ValueCounts::default();
    for number in numbers {
        all.add(*number);
    }
    all.spread()
}

fn tallies(prompts: &[Prompt], by: &[StatsBy]) -> PromptTotals {
    let mut tallies = Tallies::new(by);
    for prompt in prompts {
        tallies.add_prompt(prompt);
    }
    tallies.finish()
}

#[test]
fn a_percentile_is_a_number_that_occurred() {
    let ten = spread(&[10, 9, 8, 7, 6, 5, 4, 3, 2, 1]).unwrap();
    assert_eq!((ten.min, ten.p50, ten.p90, ten.p95, ten.p99, ten.max), (1, 5, 9, 10, 10, 10));
    assert!((ten.mean - 5.5).abs() < 1e-12);
    let one = spread(&[7]).unwrap();
    assert_eq!((one.count, one.min, one.p50, one.p99, one.max), (1, 7, 7, 7, 7));
    assert_eq!(spread(&[]), None);
}

#[test]
fn an_answer_from_the_cache_tells_nothing_of_latency() {
    let mut prompt = samples::prompt(1);
    prompt.steps[0].model_metadata.cached = true;
    prompt.steps[0].model_metadata.calls = 0;
    let total = tallies(&[prompt], &[]).total;
    assert_eq!((total.steps, total.cached, total.calls), (3, 1, 2));
    assert_eq!(total.latency_ms.map(|spread| spread.count), Some(2));
    assert_eq!(total.first_token_ms.map(|spread| spread.count), Some(2));
}

#[test]
fn one_unknown_price_makes_the_cost_unknown_and_is_counted() {
    let mut prompt = samples::prompt(3);
    let known = tallies(std::slice::from_ref(&prompt), &[]).total;
    assert_eq!((known.unpriced, known.cost_usd), (0, Some(known.known_cost_usd)));
    prompt.steps[2].model_metadata.cost_usd = None;
    let unknown = tallies(&[prompt], &[]).total;
    assert_eq!((unknown.unpriced, unknown.cost_usd), (1, None));
    assert!((unknown.known_cost_usd - known.known_cost_usd * 2.0 / 3.0).abs() < 1e-8);
}

#[test]
fn a_prompt_without_steps_counts_by_its_own_account() {
    let prompt = Prompt { steps: Vec::new(), ..samples::prompt(2) };
    let measured = tallies(std::slice::from_ref(&prompt), &[StatsBy::Phase]);
    assert_eq!((measured.total.prompts, measured.total.steps), (1, 0));
    assert_eq!(measured.total.total_tokens, prompt.model_metadata.total_tokens);
    assert_eq!(measured.groups[0][0].key, prompt.phase.as_str());
}

#[test]
fn throughput_is_what_came_in_while_it_was_waited_for() {
    // Three steps of 51 tokens in 321 ms each.
    let total = tallies(&[samples::prompt(1)], &[]).total;
    assert!((total.output_tokens_per_s.unwrap() - 51.0 / 0.321).abs() < 1e-9);
}

proptest! {
    #[test]
    fn percentiles_are_those_of_a_sorted_list(numbers in vec(prop_oneof![0_u64..20, any::<u64>()], 1..400)) {
        let mut sorted = numbers.clone();
        sorted.sort_unstable();
        // Nearest rank by definition: the least number with at least this share at or below it.
        let naive = |percent: usize| {
            *sorted
                .iter()
                .find(|number| sorted.iter().filter(|other| other <= number).count() * 100 >= percent * sorted.len())
                .unwrap()
        };
        let spread = spread(&numbers).unwrap();
        prop_assert_eq!(
            (spread.count, spread.min, spread.p50, spread.p90, spread.p95, spread.p99, spread.max),
            (numbers.len() as u64, sorted[0], naive(50), naive(90), naive(95), naive(99), sorted[sorted.len() - 1])
        );
    }

    #[test]
    fn the_groups_of_a_key_add_up_to_the_total(seeds in proptest::collection::btree_set(0_u32..3000, 0..30)) {
        let prompts: Vec<Prompt> = seeds.into_iter().map(samples::prompt).collect();
        let by = [StatsBy::Day, StatsBy::Phase, StatsBy::Provider, StatsBy::Model, StatsBy::Persona];
        let measured = tallies(&prompts, &by);
        for group in &measured.groups {
            let sum = |of: fn(&StatsTotals) -> u64| group.iter().map(|line| of(&line.totals)).sum::<u64>();
            let counts: [fn(&StatsTotals) -> u64; 6] = [
                |it| it.steps,
                |it| it.calls,
                |it| it.input_tokens,
                |it| it.output_tokens,
                |it| it.total_tokens,
                |it| it.latency_ms.map_or(0, |spread| spread.count),
            ];
            for of in counts {
                prop_assert_eq!(sum(of), of(&measured.total));
            }
            let cost: f64 = group.iter().map(|line| line.totals.known_cost_usd).sum();
            prop_assert!((cost - measured.total.known_cost_usd).abs() < 1e-6);
        }
    }
}
