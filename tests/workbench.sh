#!/usr/bin/env bash
# A day at the workbench, driven in tmux as a user would: compose, run three variants and watch them, compare two, judge,
# tag the winner, quit, open again, find it by a paraphrase, copy it. Everything is waited for and read off the screen.
#
#   tests/workbench.sh [FOLDER [PROGRAM]]
#
# FOLDER gets every screen at 80x24, 120x40 and 200x60, as text with its colours (`capture-pane -e`); PROGRAM is the one
# that was built last. Needs tmux and python3; uses a socket and a home of its own, no network, and leaves nothing behind.
set -euo pipefail
cd "$(dirname "$0")/.."
export LC_ALL=C.UTF-8

pictures=$(mkdir -p "${1:-target/workbench}" && cd "${1:-target/workbench}" && pwd)
program=$(realpath "${2:-$(ls -t target/release/aludel target/debug/aludel 2>/dev/null | head -1)}")
home=$(mktemp -d)
socket=aludel-$$
patience=400 # times 50 ms

mux() { tmux -L "$socket" -f /dev/null "$@"; }
screen() { mux capture-pane -p -t work; }
aludel() { env -i HOME="$home" PATH="$PATH" "$program" "$@"; }

finish() {
  mux kill-server 2>/dev/null || true
  rm -rf "$home"
}
trap finish EXIT

told() { printf -- '-- %s\n' "$*"; }

fail() {
  printf 'failed: %s\n' "$1" >&2
  screen >&2 || true
  exit 1
}

# Waits until a command is true.
until_true() {
  local what=$1 tries=0
  shift
  until "$@"; do
    tries=$((tries + 1))
    [ "$tries" -le "$patience" ] || fail "never came: $what"
    sleep 0.05
  done
}

shows() { screen | grep -qF -- "$1"; }
shows_not() { ! shows "$1"; }
wait_for() { until_true "$1" shows "$1"; }
wait_gone() { until_true "no $1" shows_not "$1"; }
press() { mux send-keys -t work "$@"; }
type_text() { mux send-keys -t work -l "$1" && wait_for "${2:-$1}"; }

drawn_at() { screen | sed -n "$1p" | grep -qE '(help|close|stay|quit)'; }

# Which prompt the History shows whole.
previewed() { screen | grep -oE '[0-9a-f]{8} · [A-Z] · coagulatio' | head -1; }
goes_on_from() { [ -n "$(previewed)" ] && [ "$(previewed)" != "$1" ]; }

# Every screen at three sizes, each once it is drawn at that size; ends at 120x40.
picture() {
  local size
  for size in 80x24 200x60 120x40; do
    mux resize-window -t work -x "${size%x*}" -y "${size#*x}"
    until_true "the screen at $size" drawn_at "${size#*x}"
    mux capture-pane -e -p -t work >"$pictures/$1-$size.ansi"
  done
}

start() {
  mux new-session -d -s work -x 120 -y 40 "env -i HOME='$home' PATH='$PATH' TERM=tmux-256color LC_ALL=C.UTF-8 '$program'"
  # What the program hands to the terminal's clipboard becomes a buffer that can be read here.
  mux set-option -s set-clipboard on
}

leave() {
  press C-q
  until_true "the end" bash -c "! tmux -L '$socket' has-session -t work 2>/dev/null"
}

mkdir -p "$home/.aludel"
cat >"$home/.aludel/sim.yaml" <<'SCRIPT'
answer: echo
pacing: {first_token_ms: 200, tokens_per_s: 40}
SCRIPT
printf 'providers:\n  model: {kind: sim, script: %s}\n' "$home/.aludel/sim.yaml" >"$home/.aludel/config.yaml"
told "two other prompts are stored, so that there is something to be found among"
aludel generate "Summarise the quarterly ledger for auditors" --count 1 --provider builtin --quiet >/dev/null
aludel generate "Review a poem about a lighthouse keeper" --count 1 --provider builtin --quiet >/dev/null

told "compose"
start
wait_for 'Nothing here yet'
type_text 'Translate the ferry timetable for tourists'
picture 1-compose

told "run three variants and watch them stream"
press C-j
wait_for 'prima-materia ~'
picture 2-streaming
wait_for '★'
wait_gone 'live'
picture 3-finished

told "compare two"
press '[' '[' c
wait_for 'A is marked'
press ']' c
wait_for 'B is marked'
press C
wait_for 'Measures'
picture 4-compare

told "let the judge decide"
press J
wait_for '✓ judged'
picture 5-judged

told "accept the winner with a tag"
press W
wait_for 'winner'
picture 6-accepted

told "quit"
leave
winner=$(aludel list --tags winner --format json | sed -n 's/^ *"id": "\(.*\)",$/\1/p')
[ "$(wc -w <<<"$winner")" = 1 ] || fail "one prompt carries the tag, and not: $winner"

told "open again and find it by a paraphrase"
start
wait_for 'Nothing here yet'
press M-5
wait_for 'Search [text]'
press /
press C-r
wait_for '[semantic]'
type_text 'boat schedule for holiday visitors' 'boat schedule'
wait_for 'nearest of'
press Enter
wait_for 'ferry timetable'
picture 7-found

told "go down to the winner and copy it"
for _ in 1 2 3 4 5; do
  shows "${winner: -8} · " && break
  before=$(previewed)
  press j
  until_true "the next prompt" goes_on_from "$before"
done
wait_for "${winner: -8} · "
press y
wait_for 'OSC 52'
picture 8-copied
[ "$(mux show-buffer)" = "$(aludel show "$winner" --format json | python3 -c 'import json, sys; print(json.load(sys.stdin)["content"])')" ] ||
  fail "what was copied is not what is stored: $(mux show-buffer)"
leave
told "done; pictures are in $pictures"
