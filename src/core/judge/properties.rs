//! Statistical requirements on the judge, on fixed seeds, with scripted judges of known bias.
//!
//! The judges are those of the simulation the protocol was designed with: "good" agrees with itself
//! after an order swap in about two thirds of the pairs, "poor" in a fifth. The bench
//! (`tests/benches/judge.rs`) runs 1,200 trials; here are fewer, with tolerant thresholds.

use super::tests::{candidates, judged, judging, sim};
use super::*;
use crate::provider::sim::Sim;
use crate::store::samples;

const GOOD: &str = "position_bias: 0.66, pair_noise: 0.6, noise: 0.25";
const POOR: &str = "position_bias: 2.0, pair_noise: 0.6, noise: 0.25";
const TRIALS: u32 = 120;

fn texts(count: usize) -> Vec<Prompt> {
    candidates(&(0..count).map(|number| format!("candidate {number}")).collect::<Vec<_>>())
}

/// How often the truly best of five, given last, is chosen; every trial has another judge.
async fn best_of_five(biases: &str, thorough: bool) -> f64 {
    let mut found = 0;
    for seed in 0..TRIALS {
        let judge = sim(&format!("seed: {seed}\njudge: {{{biases}}}"));
        let mut all = texts(5);
        all.sort_by(|a, b| judge.hidden_quality(&a.content).total_cmp(&judge.hidden_quality(&b.content)));
        let best = all.last().unwrap().id;
        let judging = Judging { thorough, max_concurrency: 1, ..judging(&[judge]) };
        found += u32::from(judged(&judging, &all).await.unwrap().result.prompt.id == best);
    }
    f64::from(found) / f64::from(TRIALS)
}

#[tokio::test]
async fn the_best_of_five_is_found_by_a_good_judge() {
    let (screened, thorough) = (best_of_five(GOOD, false).await, best_of_five(GOOD, true).await);
    assert!(screened >= 0.70 && thorough >= 0.70, "{screened} {thorough}");
}

#[tokio::test]
async fn the_best_of_five_is_found_even_by_a_poor_judge() {
    let (screened, thorough) = (best_of_five(POOR, false).await, best_of_five(POOR, true).await);
    assert!(screened >= 0.68 && thorough >= 0.68, "{screened} {thorough}");
}

/// A common judge for reference: all candidates in one call, biased by position from first to last.
#[test]
fn one_call_that_lists_all_follows_the_place_of_the_best() {
    let mut random = Normal(7);
    let mut found = [0_u32; 2];
    for _ in 0..2000 {
        let quality: Vec<f64> = (0..5).map(|_| random.next()).collect();
        let best = (0..5).max_by(|a, b| quality[*a].total_cmp(&quality[*b])).unwrap();
        let order: Vec<usize> = (0..5).filter(|at| *at != best).chain([best]).collect();
        for (at, bias) in [0.66, 2.0].into_iter().enumerate() {
            let seen = |place: usize, at: usize, noise: f64| quality[at] + noise + bias * (1.0 - place as f64 / 4.0);
            let noises: Vec<f64> = (0..5).map(|_| (0.6_f64.hypot(0.25) / 2.0_f64.sqrt()) * random.next()).collect();
            let chosen =
                (0..5).max_by(|a, b| seen(*a, order[*a], noises[*a]).total_cmp(&seen(*b, order[*b], noises[*b])));
            found[at] += u32::from(order[chosen.unwrap()] == best);
        }
    }
    let share = found.map(|count| f64::from(count) / 2000.0);
    assert!(
        (0.45..0.57).contains(&share[0]) && (0.11..0.20).contains(&share[1]),
        "{share:?}: the table says 0.51 and 0.15"
    );
}

/// A small generator of normal draws, independent of the tested one.
struct Normal(u64);

impl Normal {
    fn unit(&mut self) -> f64 {
        self.0 += 1;
        (xxh3_64(&self.0.to_le_bytes()) >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn next(&mut self) -> f64 {
        let radius = (-2.0 * (1.0 - self.unit()).ln()).sqrt();
        radius * (std::f64::consts::TAU * self.unit()).cos()
    }
}

/// The profile that an audit would give a judge with a length bias, from padded copies.
async fn measured(judge: &Sim, asker: &Judging) -> JudgeProfile {
    let (mut sum, mut count) = (0.0, 0.0);
    for (number, times) in (0..12).flat_map(|number| [(number, 2_usize), (number, 3), (number, 6)]) {
        let text = format!("{number} as it is. ");
        let padded = text.repeat(times);
        let gain = (padded.chars().count() as f64 / text.chars().count() as f64).ln();
        for (first, second, side) in [(&padded, &text, 1.0), (&text, &padded, -1.0)] {
            let opinion = ask(asker, &asker.judges[0], first, second).await.unwrap();
            sum += side * opinion.margin.unwrap() / gain;
            count += 1.0;
        }
    }
    JudgeProfile {
        judge: JudgeName { provider: judge.name().to_owned(), model: "m".into() },
        audited_at: samples::moment(1),
        position_bias: Some(0.0),
        swap_consistency: Some(1.0),
        length_slope: Some(sum / count),
        self_preference: None,
        stability: Some(1.0),
        sensitivity: Some(1.0),
        robustness: Some(1.0),
        missing: 0,
        asked: 72,
        usable: true,
        faults: Vec::new(),
        labels: None,
        calibration: None,
        model_metadata: ModelMetadata::sum(&[]),
    }
}

#[tokio::test]
async fn a_padded_copy_never_beats_its_original_when_the_judge_has_a_profile() {
    for bias in [0.5, 1.0] {
        let judge = sim(&format!("judge: {{quality_spread: 0, length_bias: {bias}, position_bias: 0.3}}"));
        let mut judging = judging(std::slice::from_ref(&judge));
        let padding =
            |times: usize| candidates(&["The original text.".to_owned(), "The original text. ".repeat(times)]);
        let mut misled = 0;
        for times in 2..14 {
            let judged = judged(&judging, &padding(times)).await.unwrap();
            misled += u32::from(
                judged.result.prompt.id == padding(times)[1].id && judged.result.comparisons[0].margin != 0.0,
            );
        }
        assert!(misled >= 8, "without a profile length wins: {misled}");
        let profile = measured(&judge, &judging).await;
        judging.judges[0].profile = Some(profile);
        for times in 2..14 {
            let mut all = padding(times);
            all[1].model_metadata.total_tokens += 10;
            let judged = judged(&judging, &all).await.unwrap();
            assert_eq!(
                judged.result.prompt.id, all[0].id,
                "{times} times, bias {bias}: {:?}",
                judged.result.comparisons
            );
        }
    }
}

#[tokio::test]
async fn one_order_without_contradiction_is_the_order_of_the_result() {
    let marks: Vec<String> = (0..6).map(|rank| format!("[rank {rank}]")).collect();
    let markers: Vec<String> =
        marks.iter().zip(0..).map(|(mark, rank)| format!("\"{mark}\": {}", -0.4 * f64::from(rank))).collect();
    let script = format!("judge: {{quality_spread: 0, position_bias: 0.2, markers: {{{}}}}}", markers.join(", "));
    let all = candidates(&marks);
    let judging = Judging { thorough: true, ..judging(&[sim(&script)]) };
    let result = judged(&judging, &all).await.unwrap().result;
    let order: Vec<_> = result.ranking.iter().map(|standing| standing.prompt_id).collect();
    assert_eq!(order, all.iter().map(|prompt| prompt.id).collect::<Vec<_>>());
}
