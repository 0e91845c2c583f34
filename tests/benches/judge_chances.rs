//! Whether the stated probability that a choice is the best is right, for judges with known errors,
//! before and after the judge's own test.
//!
//! Everything but the scripted provider is real: `judge::audit` with the program's cases,
//! `judge::select` with its result. A judge's preference is the difference of hidden qualities
//! (standard deviation 1; a worsened copy has 1.6 less), plus the errors of its kind. ECE is the
//! expected calibration error over ten bins.
//!
//! `cargo bench --bench judge_chances`; `ALUDEL_BENCH_TRIALS` sets the selections per row (1000),
//! `ALUDEL_BENCH_COUNTS` the numbers of candidates (2,5,8,16), `ALUDEL_BENCH_FIRST` the first seed
//! (0): what is chosen by looking at some seeds must be judged by others.
#![expect(
    clippy::expect_used,
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a bench prints, stops where it cannot go on, and is told how much by the environment"
)]

use std::sync::Arc;
use std::time::Instant;

use aludel_core::assets::Assets;
use aludel_core::domain::{JudgeProfile, JudgementId, Prompt};
use aludel_core::event::run::{Run, RunControl};
use aludel_core::judge::{self, Judge, Judging, audit};
use aludel_core::ledger::Account;
use aludel_core::provider::sim::Sim;
use aludel_core::store::samples;

/// A kind of judge: its part of the script, and whether it sees quality at all.
struct Kind {
    name: &'static str,
    script: &'static str,
    sees: bool,
    /// True if lengths differ, with a standard deviation of 1 of their logarithm.
    is_long: bool,
}

const KINDS: [Kind; 6] = [
    Kind { name: "ours", script: "position_bias: 0.66, pair_noise: 0.6, noise: 0.25", sees: true, is_long: false },
    Kind { name: "larger", script: "position_bias: 0.66, pair_noise: 1.2, noise: 0.6", sees: true, is_long: false },
    Kind {
        name: "taste",
        script: "position_bias: 0.66, pair_noise: 0.6, noise: 0.25, taste: 0.8",
        sees: true,
        is_long: false,
    },
    Kind { name: "random", script: "position_bias: 0.66, pair_noise: 0.3, noise: 1.4", sees: false, is_long: false },
    Kind {
        name: "length",
        script: "position_bias: 0.66, pair_noise: 0.6, noise: 0.25, length_bias: 1.0",
        sees: true,
        is_long: true,
    },
    Kind { name: "own taste only", script: "pair_noise: 0.6, noise: 0.25, taste: 1.0", sees: false, is_long: false },
];

/// The quality lost by a copy that was worsened on purpose.
const LOSS: f64 = 1.6;
const BINS: usize = 10;

#[derive(Default)]
struct Tally {
    trials: f64,
    right: f64,
    said: f64,
    calls: f64,
    confident: f64,
    rightly: f64,
    bins: [(f64, f64); BINS],
}

fn main() {
    let read = |name: &str| std::env::var(name).ok();
    let trials: u64 = read("ALUDEL_BENCH_TRIALS").and_then(|text| text.parse().ok()).unwrap_or(1000);
    let first: u64 = read("ALUDEL_BENCH_FIRST").and_then(|text| text.parse().ok()).unwrap_or(0);
    let counts = read("ALUDEL_BENCH_COUNTS").unwrap_or_else(|| "2,5,8,16".into());
    let counts: Vec<usize> = counts.split(',').filter_map(|count| count.parse().ok()).collect();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().expect("a runtime");
    println!("{trials} selections a row, from seed {first}");
    println!(
        "{:8} {:>2} {:14} {:>6} {:>6} {:>6} {:>5} {:>6} {:>9} {:>7} {:>5}",
        "judge", "n", "kind", "right", "said", "over", "ECE", "calls", "confident", "rightly", "s"
    );
    for is_tested in [false, true] {
        for &count in &counts {
            for kind in &KINDS {
                let begun = Instant::now();
                let mut tally = Tally::default();
                for trial in first..first + trials {
                    runtime.block_on(trial_of(kind, count, trial, is_tested, &mut tally));
                }
                tally.print(if is_tested { "tested" } else { "untested" }, count, kind.name, begun);
            }
        }
    }
}

impl Tally {
    fn print(&self, judge: &str, count: usize, kind: &str, begun: Instant) {
        let share = |part: f64| part / self.trials;
        let ece: f64 = self.bins.iter().map(|(said, right)| (said - right).abs()).sum::<f64>() / self.trials;
        println!(
            "{judge:8} {count:>2} {kind:14} {:>6.3} {:>6.3} {:>+6.3} {ece:>5.3} {:>6.2} {:>9.3} {:>7.2} {:>5.0}",
            share(self.right),
            share(self.said),
            share(self.said - self.right),
            share(self.calls),
            share(self.confident),
            self.rightly / self.confident.max(1.0),
            begun.elapsed().as_secs_f64()
        );
    }
}

async fn trial_of(kind: &Kind, count: usize, trial: u64, is_tested: bool, tally: &mut Tally) {
    let profile = if is_tested { Some(tested(kind, trial).await) } else { None };
    // The truth comes from another draw than a judge that sees nothing.
    let truth = sim(trial, "{}");
    let contents = contents(kind, count, trial);
    let worth: Vec<f64> = contents.iter().map(|text| truth.hidden_quality(text)).collect();
    let spread = if kind.sees { 1.0 } else { 0.0 };
    let sim = sim(trial, &format!("{{quality_spread: {spread}, {}}}", kind.script));
    let prompts: Vec<Prompt> =
        contents.into_iter().zip(1_u32..).map(|(content, seed)| Prompt { content, ..samples::prompt(seed) }).collect();
    let judging = judging(sim, profile);
    let (events, _run) = Run::new(samples::session_id(1), RunControl::new(0));
    let result = judge::select(&judging, &prompts, &events).await.expect("the scripted judge answers").result;
    let chosen = prompts.iter().position(|prompt| prompt.id == result.prompt.id).expect("one of them");
    let is_right = worth.iter().all(|other| *other <= worth[chosen]);
    let right = f64::from(u8::from(is_right));
    tally.trials += 1.0;
    tally.right += right;
    tally.said += result.confidence;
    tally.calls += f64::from(result.model_metadata.calls);
    tally.confident += f64::from(u8::from(result.confident));
    tally.rightly += f64::from(u8::from(result.confident && is_right));
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a share")]
    let bin = ((result.confidence * BINS as f64) as usize).min(BINS - 1);
    tally.bins[bin].0 += result.confidence;
    tally.bins[bin].1 += right;
}

/// Distinct texts; of different lengths if the kind is about that.
fn contents(kind: &Kind, count: usize, trial: u64) -> Vec<String> {
    let mut random = Random(trial.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
    let texts = (0..count).map(|number| {
        let text = format!("candidate {number} of {trial}. ");
        let times = if kind.is_long { (12.0 * random.normal().exp()).round().clamp(1.0, 200.0) } else { 1.0 };
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "1 to 200")]
        let times = times as usize;
        text.repeat(times)
    });
    texts.collect()
}

/// The result of the judge's own test. Each judge has its own errors.
async fn tested(kind: &Kind, trial: u64) -> JudgeProfile {
    let cases = audit::cases().expect("the cases of the program");
    let loss = if kind.sees { -LOSS } else { 0.0 };
    let marks: Vec<String> = cases
        .iter()
        .map(|case| {
            let last = case.worse.lines().last().unwrap_or_default();
            format!("{}: {loss}", serde_json::to_string(last).expect("a text"))
        })
        .collect();
    let script = format!("{{quality_spread: 0, markers: {{{}}}, {}}}", marks.join(", "), kind.script);
    let judging = judging(sim(trial + 500_000, &script), None);
    let cases: Vec<audit::Case> = cases
        .into_iter()
        .map(|case| audit::Case { own: Some(format!("In other words: {}", case.good)), ..case })
        .collect();
    audit::audit(&judging, &judging.judges[0], &cases, audit::Failures::default(), |_, _| {})
        .await
        .expect("the scripted judge answers")
}

fn sim(seed: u64, judge: &str) -> Sim {
    Sim::from_yaml("sim", &format!("seed: {seed}\njudge: {judge}\n")).expect("a script")
}

fn judging(sim: Sim, profile: Option<JudgeProfile>) -> Judging {
    let assets = Assets::new(None);
    Judging {
        judges: vec![Judge { provider: Arc::new(sim), model: None, profile }],
        rubric: assets.rubric_for("generic").expect("the rubric of the program"),
        assets: Arc::new(assets),
        task: "Write a note".into(),
        persona: "generic".into(),
        thorough: false,
        confidence: judge::CONFIDENT,
        order_swaps: true,
        max_concurrency: 1,
        account: Account::default(),
        id: JudgementId(samples::id(9)),
        now: samples::moment(9),
        operation: "select".into(),
    }
}

/// Marsaglia's xorshift.
struct Random(u64);

impl Random {
    fn unit(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn normal(&mut self) -> f64 {
        (-2.0 * (1.0 - self.unit()).ln()).sqrt() * (std::f64::consts::TAU * self.unit()).cos()
    }
}
