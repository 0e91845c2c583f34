#!/usr/bin/env bash
# Runs one fuzz target guided by coverage, with libFuzzer, on the stable toolchain: coverage.sh TARGET SECONDS
# Needs a C++ compiler. What it finds goes to tests/fuzz/__fuzz__/TARGET/crashes, which `cargo test` replays; the
# inputs that reach new code are kept in target/fuzz/corpus/TARGET. Without arguments it only builds.
set -euo pipefail
cd "$(dirname "$0")/../.."
# What cargo-bolero sets, without the sanitizers, which need the nightly toolchain.
flags="--cfg fuzzing --cfg fuzzing_libfuzzer -Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4"
flags+=" -Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table"
flags+=" -Cllvm-args=-sanitizer-coverage-trace-compares -Ccodegen-units=1"
host=$(rustc -vV | sed -n 's/^host: //p')
# --target keeps build scripts and macros, which run on their own, free of the flags.
# The program itself is built too, for the tests that run it, and cannot be linked without libFuzzer: that failure is passed over.
program=$({ CARGO_TARGET_DIR=target/fuzz CARGO_INCREMENTAL=0 CARGO_PROFILE_DEV_OPT_LEVEL=1 RUSTFLAGS="$flags" \
  cargo build --test fuzz --keep-going --target "$host" --message-format json 2>/dev/null || true; } |
  sed -n 's/.*"name":"fuzz".*"executable":"\([^"]*\)".*/\1/p' | tail -n 1)
[ -n "$program" ] || { echo "the fuzz targets do not build: \`cargo test --test fuzz\` says why" >&2; exit 1; }
[ $# -ge 2 ] || { echo "$program"; exit 0; }
target=$1 seconds=$2
module=$target
case $target in wire_*) module=wire ;; import_*) module=import ;; esac
kept=$PWD/target/fuzz/corpus/$target crashes=$PWD/tests/fuzz/__fuzz__/$target/crashes
corpus=$PWD/tests/fuzz/__fuzz__/$target/corpus
mkdir -p "$kept" "$crashes" "$corpus"
export BOLERO_LIBFUZZER_ARGS="$kept $corpus -artifact_prefix=$crashes/ -max_total_time=$seconds -max_len=4096 \
-timeout=10 -rss_limit_mb=1024 -print_final_stats=1"
exec "$program" --exact "$module::$target" --nocapture --test-threads 1
