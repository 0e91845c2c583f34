//! How often the truly best of several candidates is chosen by judges with known biases: our
//! protocol compared with common ones, and both with the simulation it was designed with.
//!
//! K (ratings and all pairs), L (the same with the judge's profile), M (ratings, a few pairs) and P
//! (a panel of three) are the real `judge::select` over the scripted provider; A to H are small
//! reference judges. A preference is the difference of hidden qualities, an error per pair (0.6),
//! one per call (0.25), and the biases; the numbers only hold for these toys. "table" is the Python
//! simulation's result in 1,200 trials. `ALUDEL_BENCH_TRIALS` sets the trials (1200).
#![expect(
    clippy::expect_used,
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a bench prints, stops where it cannot go on, and is told how much by the environment"
)]

use std::sync::Arc;
use std::time::Instant;

use aludel_core::assets::Assets;
use aludel_core::domain::{JudgeName, JudgeProfile, JudgementId, ModelMetadata, Prompt};
use aludel_core::event::run::{Run, RunControl};
use aludel_core::judge::{self, Judge, Judging};
use aludel_core::ledger::Account;
use aludel_core::provider::sim::Sim;
use aludel_core::store::samples;

const PAIR_ERROR: f64 = 0.6;
const CALL_ERROR: f64 = 0.25;
/// A probability that is never reached, so that every pair is compared.
const ALL_PAIRS: f64 = 0.9999;
const ROWS: [&str; 11] = ["A", "B", "C", "D", "D'", "G", "H", "K", "M", "L", "P"];

/// A column of the table: a kind of judge, and the position of the best.
struct Column {
    name: &'static str,
    count: usize,
    position: f64,
    length: f64,
    own: f64,
    is_best_last: bool,
    /// By row, the results of the Python simulation, in percent.
    table: [f64; 11],
}

const COLUMNS: [Column; 7] = [
    Column {
        name: "no bias",
        count: 5,
        position: 0.0,
        length: 0.0,
        own: 0.0,
        is_best_last: false,
        table: [74.8, 70.8, 72.6, 74.8, 75.2, 70.3, 74.2, 78.6, 77.5, 78.6, 87.9],
    },
    Column {
        name: "67 % consistent, best last",
        count: 5,
        position: 0.66,
        length: 0.0,
        own: 0.0,
        is_best_last: true,
        table: [51.4, 53.6, 33.8, 62.8, 73.3, 66.3, 75.7, 78.8, 76.5, 78.8, 87.8],
    },
    Column {
        name: "20 % consistent, any order",
        count: 5,
        position: 2.0,
        length: 0.0,
        own: 0.0,
        is_best_last: false,
        table: [58.2, 70.8, 31.1, 58.2, 59.2, 50.1, 35.7, 78.0, 75.8, 78.0, 86.8],
    },
    Column {
        name: "20 % consistent, best last",
        count: 5,
        position: 2.0,
        length: 0.0,
        own: 0.0,
        is_best_last: true,
        table: [15.1, 53.6, 2.8, 46.3, 60.7, 50.9, 59.9, 76.2, 77.4, 76.2, 87.2],
    },
    Column {
        name: "67 % and length 0.5",
        count: 5,
        position: 0.66,
        length: 0.5,
        own: 0.0,
        is_best_last: false,
        table: [63.5, 62.5, 56.2, 64.9, 64.1, 58.0, 60.2, 67.2, 67.2, 77.8, 69.9],
    },
    Column {
        name: "67 %, length 0.5, own family 0.6",
        count: 5,
        position: 0.66,
        length: 0.5,
        own: 0.6,
        is_best_last: false,
        table: [61.5, 61.1, 56.2, 62.7, 62.6, 57.6, 60.2, 64.7, 64.4, 74.0, 69.7],
    },
    Column {
        name: "eight, 67 %, best last",
        count: 8,
        position: 0.66,
        length: 0.0,
        own: 0.0,
        is_best_last: true,
        table: [45.4, 45.2, 29.4, 65.9, 74.2, 66.9, 58.8, 81.2, 74.7, 81.2, 88.3],
    },
];

fn main() {
    let trials: u32 = std::env::var("ALUDEL_BENCH_TRIALS").ok().and_then(|text| text.parse().ok()).unwrap_or(1200);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().expect("a runtime");
    println!(
        "{trials} trials a column; the standard error of a share of 75 % is {:.1}",
        43.3 / f64::from(trials).sqrt()
    );
    for column in &COLUMNS {
        let begun = Instant::now();
        let slope = runtime.block_on(measured_slope(column));
        let mut found = [0_u32; 11];
        let (mut agreed, mut sure, mut right) = (0.0, 0_u32, 0_u32);
        for trial in 0..trials {
            let world = Trial::of(column, u64::from(trial));
            for (row, picked) in world.references().into_iter().enumerate() {
                found[row] += u32::from(picked == world.best);
            }
            for (row, protocol) in
                [(7, Protocol::All), (8, Protocol::Screen), (9, Protocol::Profiled(slope)), (10, Protocol::Panel)]
            {
                let (picked, consistency, confident) = runtime.block_on(world.ours(&protocol));
                found[row] += u32::from(picked == world.best);
                if row == 8 {
                    agreed += consistency;
                    sure += u32::from(confident);
                    right += u32::from(confident && picked == world.best);
                }
            }
        }
        println!("\n## {} (length slope measured: {slope:.2})", column.name);
        println!("{:>4} {:>7} {:>7} {:>7}", "", "here", "table", "");
        for (row, name) in ROWS.iter().enumerate() {
            let here = f64::from(found[row]) / f64::from(trials) * 100.0;
            println!("{name:>4} {here:>7.1} {:>7.1} {:>+7.1}", column.table[row], here - column.table[row]);
        }
        println!(
            "M: swap consistency {:.0} %, confident in {:.0} % and then right in {:.0} %; {:.1} s",
            100.0 * agreed / f64::from(trials),
            100.0 * f64::from(sure) / f64::from(trials),
            100.0 * f64::from(right) / f64::from(sure.max(1)),
            begun.elapsed().as_secs_f64()
        );
    }
}

/// Our protocols.
enum Protocol {
    All,
    Screen,
    Profiled(f64),
    Panel,
}

/// One trial: candidates with hidden qualities, and their positions.
struct Trial<'c> {
    column: &'c Column,
    seed: u64,
    quality: Vec<f64>,
    /// Logarithm of the length, 0 on average.
    length: Vec<f64>,
    is_own: Vec<bool>,
    best: usize,
    order: Vec<usize>,
}

impl<'c> Trial<'c> {
    fn of(column: &'c Column, seed: u64) -> Self {
        let mut random = Random::new(seed.wrapping_mul(0x9E37_79B9).wrapping_add(42));
        let quality: Vec<f64> = (0..column.count).map(|_| random.normal()).collect();
        let length = (0..column.count).map(|_| random.normal()).collect();
        let is_own = (0..column.count).map(|_| random.unit() < 0.4).collect();
        let best = top(&(0..column.count).collect::<Vec<_>>(), |at| quality[at]);
        let mut order: Vec<usize> = (0..column.count).collect();
        for at in (1..order.len()).rev() {
            order.swap(at, random.below(at + 1));
        }
        if column.is_best_last {
            order.retain(|at| *at != best);
            order.push(best);
        }
        Self { column, seed, quality, length, is_own, best, order }
    }

    /// What a judge sees in a candidate, without its own errors.
    fn worth(&self, at: usize) -> f64 {
        let own = if self.is_own[at] { self.column.own } else { 0.0 };
        self.quality[at] + self.column.length * self.length[at] + own
    }

    /// The choices of A, B, C, D, D', G and H.
    fn references(&self) -> [usize; 7] {
        let pairs: Vec<(usize, usize)> = (0..self.order.len())
            .flat_map(|x| (x + 1..self.order.len()).map(move |y| (x, y)))
            .map(|(x, y)| (self.order[x], self.order[y]))
            .collect();
        let tie: Vec<f64> = (0..self.order.len()).map(|at| Random::new(self.seed * 31 + at as u64).unit()).collect();
        let last = (self.order.len() - 1) as f64;
        let mut toy = ReferenceJudge::new(self, 1);
        let listwise: Vec<f64> = (0..self.order.len())
            .map(|place| toy.alone(self.order[place]) + self.column.position * (1.0 - place as f64 / last))
            .collect();
        let listwise = self.order[top(&(0..self.order.len()).collect::<Vec<_>>(), |place| listwise[place])];
        let mut toy = ReferenceJudge::new(self, 2);
        let points: Vec<f64> =
            (0..self.order.len()).map(|at| toy.alone(at).mul_add(1.2, 7.0).round().clamp(1.0, 10.0)).collect();
        let pointwise = top(&self.order, |at| points[at]);
        let mut toy = ReferenceJudge::new(self, 3);
        let mut wins = vec![0.0; self.order.len()];
        for &(i, k) in &pairs {
            wins[if toy.prefers(i, k) { i } else { k }] += 1.0;
        }
        let one_order = top(&self.order, |at| wins[at]);
        let mut toy = ReferenceJudge::new(self, 4);
        let mut wins = vec![0.0; self.order.len()];
        for &(i, k) in &pairs {
            let (forward, backward) = (toy.prefers(i, k), !toy.prefers(k, i));
            let share = f64::midpoint(f64::from(u8::from(forward)), f64::from(u8::from(backward)));
            wins[i] += share;
            wins[k] += 1.0 - share;
        }
        let swapped = top(&self.order, |at| wins[at]);
        let by_hash = top(&self.order, |at| 1e-6_f64.mul_add(tie[at], wins[at]));
        let mut toy = ReferenceJudge::new(self, 5);
        let outcomes: Vec<(usize, usize, f64)> = pairs
            .iter()
            .map(|&(i, k)| {
                let (i, k) = if toy.random.unit() < 0.5 { (k, i) } else { (i, k) };
                (i, k, f64::from(u8::from(toy.prefers(i, k))))
            })
            .collect();
        let strengths = bradley_terry(self.order.len(), &outcomes);
        let random_side = top(&self.order, |at| strengths[at]);
        [listwise, pointwise, one_order, swapped, by_hash, random_side, self.knockout()]
    }

    fn knockout(&self) -> usize {
        let mut judge = ReferenceJudge::new(self, 6);
        let mut left = self.order.clone();
        while left.len() > 1 {
            let mut next = Vec::new();
            for pair in left.chunks(2) {
                let [i, k] = *pair else {
                    next.push(pair[0]);
                    continue;
                };
                next.push(match (judge.prefers(i, k), !judge.prefers(k, i)) {
                    (true, true) => i,
                    (false, false) => k,
                    _ if judge.random.unit() < 0.5 => i,
                    _ => k,
                });
            }
            left = next;
        }
        left[0]
    }

    /// The real judge's choice, its swap consistency, and whether it is confident.
    async fn ours(&self, protocol: &Protocol) -> (usize, f64, bool) {
        let panel = [(1.0, 1.0), (0.4, 0.0), (-0.4, 0.0)];
        let members = if matches!(protocol, Protocol::Panel) { &panel[..] } else { &panel[..1] };
        let judges = members.iter().zip(1..).map(|(&(position, own), number)| {
            let sim = self.sim(position * self.column.position, own * self.column.own, self.seed * 16 + number);
            let profile = if let Protocol::Profiled(slope) = protocol { Some(profile(*slope)) } else { None };
            Judge { provider: Arc::new(sim), model: None, profile }
        });
        let is_all = !matches!(protocol, Protocol::Screen);
        let confidence = if is_all { ALL_PAIRS } else { judge::CONFIDENT };
        let judging = Judging { thorough: is_all, confidence, ..judging(judges.collect()) };
        let prompts: Vec<Prompt> = self.order.iter().map(|&at| prompt(at, &self.text(at))).collect();
        let (events, _run) = Run::new(samples::session_id(1), RunControl::new(0));
        let result = judge::select(&judging, &prompts, &events).await.expect("a choice").result;
        (result.prompt.variant as usize, result.swap_consistency.unwrap_or(1.0), result.confident)
    }

    fn text(&self, at: usize) -> String {
        let mark = format!("[{at}]{}", if self.is_own[at] { "[own]" } else { "" });
        let length = if self.column.length > 0.0 { (400.0 * self.length[at].exp()).round() } else { 0.0 };
        let mut text = mark;
        while (text.len() as f64) < length {
            text.push('x');
        }
        text
    }

    fn sim(&self, position: f64, own: f64, seed: u64) -> Sim {
        let markers: Vec<String> =
            self.quality.iter().enumerate().map(|(at, quality)| format!("\"[{at}]\": {quality:.12}")).collect();
        let script = format!(
            "seed: {seed}\njudge: {{quality_spread: 0, markers: {{{}}}, favours: {{\"[own]\": {own}}}, position_bias: {position}, \
             length_bias: {}, pair_noise: {PAIR_ERROR}, noise: {CALL_ERROR}}}",
            markers.join(", "),
            self.column.length
        );
        Sim::from_yaml("sim", &script).expect("a script")
    }
}

/// A reference judge: the toy model of the simulation.
struct ReferenceJudge<'w> {
    world: &'w Trial<'w>,
    random: Random,
    stuck: Vec<Option<f64>>,
}

impl<'w> ReferenceJudge<'w> {
    fn new(world: &'w Trial<'w>, number: u64) -> Self {
        let count = world.order.len();
        Self { world, random: Random::new(world.seed * 64 + number), stuck: vec![None; count * count] }
    }

    /// The apparent quality of one candidate alone.
    fn alone(&mut self, at: usize) -> f64 {
        let errors = PAIR_ERROR.mul_add(self.random.normal(), CALL_ERROR * self.random.normal());
        self.world.worth(at) + errors / std::f64::consts::SQRT_2
    }

    /// Whether `i`, shown first, is preferred to `k`.
    fn prefers(&mut self, i: usize, k: usize) -> bool {
        let (low, high) = (i.min(k), i.max(k));
        let fresh = PAIR_ERROR * self.random.normal();
        let stuck = *self.stuck[low * self.world.order.len() + high].get_or_insert(fresh);
        let side = if i < k { 1.0 } else { -1.0 };
        let noise = CALL_ERROR * self.random.normal();
        self.world.worth(i) - self.world.worth(k) + side * stuck + noise + self.world.column.position > 0.0
    }
}

/// Ridge Bradley-Terry over wins and losses, with a first-position term, by plain ascent.
fn bradley_terry(count: usize, outcomes: &[(usize, usize, f64)]) -> Vec<f64> {
    let (mut strengths, mut place) = (vec![0.0; count], 0.0);
    let rate = 0.5 / (1.0 + outcomes.len() as f64 / count as f64);
    for _ in 0..240 {
        let mut slope: Vec<f64> = strengths.iter().map(|strength| -0.15 * strength).collect();
        let mut of_place = -0.02 * place;
        for &(i, k, won) in outcomes {
            let rest = won - 1.0 / (1.0 + (-(strengths[i] - strengths[k] + place)).exp());
            slope[i] += rest;
            slope[k] -= rest;
            of_place += rest;
        }
        for (strength, slope) in strengths.iter_mut().zip(slope) {
            *strength += rate * slope;
        }
        place += rate * of_place / count as f64;
    }
    strengths
}

/// The first of those with the highest value.
fn top(among: &[usize], value: impl Fn(usize) -> f64) -> usize {
    among.iter().copied().reduce(|best, next| if value(next) > value(best) { next } else { best }).expect("some")
}

/// The length preference that this judge's test would measure, from padded copies of equal worth.
async fn measured_slope(column: &Column) -> f64 {
    let script = format!(
        "seed: 77\njudge: {{quality_spread: 0, position_bias: {}, length_bias: {}, pair_noise: {PAIR_ERROR}, noise: {CALL_ERROR}}}",
        column.position, column.length
    );
    let sim = Sim::from_yaml("sim", &script).expect("a script");
    let judging = judging(vec![Judge { provider: Arc::new(sim), model: None, profile: None }]);
    let (mut margins, mut squares) = (0.0, 0.0);
    for number in 0..40 {
        let text = format!("{number} as it is. ");
        let padded = text.repeat(2 + number % 3);
        let gain = (padded.len() as f64 / text.len() as f64).ln();
        for (first, second, side) in [(&padded, &text, 1.0), (&text, &padded, -1.0)] {
            let opinion = judge::ask(&judging, &judging.judges[0], first, second).await.expect("a template");
            margins += side * opinion.margin.expect("a verdict") * gain;
            squares += gain * gain;
        }
    }
    if column.length > 0.0 { margins / squares } else { 0.0 }
}

fn judging(judges: Vec<Judge>) -> Judging {
    let assets = Assets::new(None);
    Judging {
        judges,
        rubric: assets.rubric_for("generic").expect("a rubric"),
        assets: Arc::new(assets),
        task: "Write a note".into(),
        persona: "generic".into(),
        thorough: false,
        confidence: judge::CONFIDENT,
        order_swaps: true,
        max_concurrency: 1,
        account: Account::default(),
        id: JudgementId(samples::id(1)),
        now: samples::moment(1),
        operation: "bench".into(),
    }
}

fn prompt(at: usize, text: &str) -> Prompt {
    let variant = u32::try_from(at).expect("few");
    let model_metadata = samples::prompt(1).model_metadata;
    Prompt { variant, content: text.to_owned(), model_metadata, ..samples::prompt(variant + 1) }
}

fn profile(length_slope: f64) -> JudgeProfile {
    JudgeProfile {
        judge: JudgeName { provider: "sim".into(), model: "sim".into() },
        audited_at: samples::moment(1),
        position_bias: Some(0.0),
        swap_consistency: Some(1.0),
        length_slope: Some(length_slope),
        self_preference: None,
        stability: Some(1.0),
        sensitivity: Some(1.0),
        robustness: Some(1.0),
        missing: 0,
        asked: 80,
        usable: true,
        faults: Vec::new(),
        labels: None,
        calibration: None,
        model_metadata: ModelMetadata::sum(&[]),
    }
}

/// Seeded random numbers (SplitMix, Box and Muller).
struct Random(u64);

impl Random {
    fn new(seed: u64) -> Self {
        let mut random = Self(seed.wrapping_mul(0xD134_2543_DE82_EF95));
        random.unit();
        random
    }

    fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn below(&mut self, end: usize) -> usize {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "below `end`")]
        let drawn = (self.unit() * end as f64) as usize;
        drawn
    }

    fn normal(&mut self) -> f64 {
        let radius = (-2.0 * (1.0 - self.unit()).ln()).sqrt();
        radius * (std::f64::consts::TAU * self.unit()).cos()
    }
}
