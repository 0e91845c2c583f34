//! Selects the measurements of a bench by arguments, and the rounds by `ALUDEL_BENCH_ROUNDS`.

/// A name and a function that takes the number of rounds.
pub(crate) type Measurement = (&'static str, fn(u64));

/// Runs those of `all` that are named, or all, in order; `usual` is the default number of rounds.
pub(crate) fn make(all: &[Measurement], usual: u64) {
    let rounds = std::env::var("ALUDEL_BENCH_ROUNDS").ok().and_then(|text| text.parse().ok()).unwrap_or(usual);
    // `cargo bench` adds its own `--bench`.
    let wanted: Vec<String> = std::env::args().skip(1).filter(|argument| !argument.starts_with("--")).collect();
    for (name, measure) in all {
        if wanted.is_empty() || wanted.iter().any(|word| word == name) {
            measure(rounds);
        }
    }
}
