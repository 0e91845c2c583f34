//! The embedded writer's time for one request: strategies, gaps, and three variants through three
//! phases, without the engine.
//!
//! The yardstick is the least any reader must do for each of the nine phases: lower-case the
//! request and walk through its words. The two alternate; the median of pairwise ratios is reported
//! with the tenth and ninetieth percentiles. The first request of a process, which prepares the cue
//! words, is reported separately. `ALUDEL_BENCH_ROUNDS` sets the rounds (200).
#![expect(clippy::expect_used, clippy::print_stdout, reason = "a bench prints, and stops where it cannot go on")]

#[path = "measure/spread.rs"]
mod spread;

use std::hint::black_box;
use std::time::{Duration, Instant};

use aludel_core::domain::{Phase, TargetFamily};
use aludel_core::provider::PhaseBrief;
use aludel_core::provider::builtin::Writer;
use spread::percentile;

const ROUNDS: u32 = 200;
const VARIANTS: u32 = 3;

fn main() {
    let report = "The heating in flat 12 is cold again, and nobody came.\n".repeat(440);
    let requests = [
        ("short, English", "Write an email to Bob. Polite, under 50 words, and do not mention money.".to_owned()),
        (
            "short, German",
            "Schreib eine E-Mail an meinen Vermieter, dass die Heizung seit drei Tagen kalt ist".to_owned(),
        ),
        ("short, Japanese", "取引先への納期遅れのお詫びメールを書いてください".to_owned()),
        ("24 kB, English", format!("Summarise this report for the board.\n\n{report}")),
    ];
    for (name, request) in requests {
        let writer = Writer::default();
        let began = Instant::now();
        ours(&writer, &request);
        let first = began.elapsed();
        let (mut ratios, mut micros) = (Vec::new(), Vec::new());
        for round in 0..ROUNDS {
            // A new request each time, so that none is cached.
            let request = format!("{request} {round}");
            let yardstick = yardstick(&request);
            let took = ours(&writer, &request);
            ratios.push(took.as_secs_f64() / yardstick.as_secs_f64());
            micros.push(took.as_secs_f64() * 1e6);
        }
        println!(
            "{name:<16} {:>8.2}x small letters and words ({:.2} to {:.2}), {:.0} us; the first {:.0} us",
            percentile(&mut ratios, 0.5),
            percentile(&mut ratios, 0.1),
            percentile(&mut ratios, 0.9),
            percentile(&mut micros, 0.5),
            first.as_secs_f64() * 1e6,
        );
    }
}

/// Everything a run needs from the writer.
fn ours(writer: &Writer, request: &str) -> Duration {
    let began = Instant::now();
    let strategies = writer.strategies(request, false, &Phase::ALL).expect("strategies");
    black_box(writer.gaps(request, false).expect("gaps"));
    for variant in 0..VARIANTS {
        let strategy = strategies[variant as usize % strategies.len()];
        let mut input = request.to_owned();
        for phase in Phase::ALL {
            let brief = PhaseBrief {
                phase,
                phases: Phase::ALL.to_vec(),
                persona: "generic".into(),
                strategy: strategy.into(),
                target: TargetFamily::Generic,
                variant,
                original_input: request.into(),
                input,
                context: Vec::new(),
            };
            input = writer.write(&brief).expect("a text");
        }
        black_box(input);
    }
    began.elapsed()
}

/// The least that reading takes, once per phase.
fn yardstick(request: &str) -> Duration {
    let began = Instant::now();
    for _ in 0..VARIANTS as usize * Phase::ALL.len() {
        black_box(black_box(request).to_lowercase().split_whitespace().count());
    }
    began.elapsed()
}
