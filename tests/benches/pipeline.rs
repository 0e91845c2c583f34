//! The pipeline's overhead over its providers: a scripted provider that takes 50 ms per phase, N
//! variants in parallel through three phases, everything else real (events, database, ranking).
//!
//! The yardstick is the ideal, three sequential sleeps of the same length, alternating with ours;
//! the median of pairwise ratios is reported. CPU time is that of the process, per call.
//!
//! Then many generations at once, of three variants each, as a batch would start, through a much
//! smaller pool of permits: the ideal is all their calls, as parallel as the pool allows.
#![expect(
    clippy::expect_used,
    clippy::print_stdout,
    clippy::panic,
    reason = "a bench prints, and stops where it cannot go on"
)]

mod measure;

use std::time::{Duration, Instant};

use aludel_core::config::{self, Environment, Flags};
use aludel_core::engine::Engine;
use measure::{cpu_ms, generate, median, peak_kb};

const PHASE_MS: u64 = 50;
const PHASES: u32 = 3;
const ROUNDS: usize = 9;
/// Parallel generations, their variants, and the calls allowed for all of them.
const AT_ONCE: u32 = 64;
const VARIANTS_EACH: u32 = 3;
const POOL: u32 = 16;
const POOLED: &str = "pooled";

/// The form of an answer: one piece, or pieces of 16 characters that arrive at once.
const ARRIVALS: [(&str, u32); 2] = [("whole", 1_000_000), ("streamed", 16)];

fn main() {
    let home = tempfile::tempdir().expect("a scratch folder");
    // No vectors are made in the background: the embedding model has no key.
    let mut configuration =
        String::from("run: {max_concurrency: 64}\ngeneration: {default_embedding_model: openai}\nproviders:\n");
    for (name, chunk_chars) in ARRIVALS {
        let script = home.path().join(name).with_extension("yaml");
        let pacing = format!("pacing: {{first_token_ms: {PHASE_MS}, chunk_chars: {chunk_chars}}}");
        // Like a provider's answer it has its own token counts, so that none need be estimated.
        let usage = "usage: {input_tokens: 900, output_tokens: 120}";
        std::fs::write(&script, format!("seed: 1\nanswer: {{words: 120}}\n{usage}\n{pacing}\n"))
            .expect("the script is written");
        configuration
            .push_str(&["  ", name, ": {kind: sim, script: ", script.to_str().expect("UTF-8"), "}\n"].concat());
    }
    let script = home.path().join("whole.yaml");
    let limits = format!("kind: sim, script: {}, max_concurrency: {POOL}", script.display());
    configuration.push_str(&["  ", POOLED, ": {", &limits, "}\n"].concat());
    std::fs::write(home.path().join("config.yaml"), configuration).expect("the configuration is written");
    let environment = Environment::from_pairs([("ALUDEL_HOME", home.path().to_str().expect("a UTF-8 path"))]);
    let engine = Engine::open(config::load(&Flags::default(), &environment).expect("a configuration"));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");

    for (name, _) in ARRIVALS {
        runtime.block_on(generate(&engine, name, 1));
        for variants in [1_u32, 8, 64] {
            let (mut ratios, mut walls, cpu) = (Vec::new(), Vec::new(), cpu_ms());
            for _ in 0..ROUNDS {
                let ideal = runtime.block_on(ideal());
                let ours = runtime.block_on(generate(&engine, name, variants));
                ratios.push(ours.as_secs_f64() / ideal.as_secs_f64());
                walls.push(ours.as_secs_f64() * 1e3);
            }
            let calls = f64::from(variants * PHASES) * ROUNDS as f64;
            println!(
                "{name}, {variants:>2} variants: {:.3}x the ideal ({:.1} ms, median of {ROUNDS}), {:.3} ms CPU a call",
                median(ratios),
                median(walls),
                (cpu_ms() - cpu) / calls
            );
        }
    }
    let (mut ratios, mut walls) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        let began = Instant::now();
        let all = (0..AT_ONCE).map(|_| generate(&engine, POOLED, VARIANTS_EACH));
        runtime.block_on(futures_util::future::join_all(all));
        let ours = began.elapsed();
        let calls = AT_ONCE * VARIANTS_EACH * PHASES;
        let ideal = Duration::from_millis(PHASE_MS) * calls.div_ceil(POOL);
        ratios.push(ours.as_secs_f64() / ideal.as_secs_f64());
        walls.push(ours.as_secs_f64() * 1e3);
    }
    println!(
        "{AT_ONCE} generations of {VARIANTS_EACH} at once, {POOL} permits: {:.3}x the ideal ({:.0} ms, median of {ROUNDS})",
        median(ratios),
        median(walls)
    );
    println!("peak memory: {} kB", peak_kb());
}

/// Three sleeps and nothing else.
async fn ideal() -> Duration {
    let began = Instant::now();
    for _ in 0..PHASES {
        tokio::time::sleep(Duration::from_millis(PHASE_MS)).await;
    }
    began.elapsed()
}
