//! Which measurements of a bench are wanted, and how often: names as arguments, rounds in `ALUDEL_BENCH_ROUNDS`.

/// What is measured, and how, given how often.
pub(crate) type Measurement = (&'static str, fn(u64));

/// Makes those of `all` whose names are given, or all, in this order; `usual` is how often unless it is said.
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
