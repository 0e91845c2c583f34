#!/usr/bin/env bash
# Property-based requests against the server, from its own OpenAPI document: schemathesis (PyPI, current)
# with every check, in its phases examples, coverage, fuzzing and stateful. No failure is tolerated.
#
# Usage: tests/schemathesis.sh [program]
# The program is target/release/aludel unless given. Nothing of the user is read or written: the server
# has an empty home, the builtin provider and no other. SCHEMATHESIS_SECONDS bounds the run (240),
# SCHEMATHESIS_SEED makes it repeatable, and SCHEMATHESIS_VENV is where Python's packages go.
set -euo pipefail
cd "$(dirname "$0")/.."
program=$(realpath "${1:-target/release/aludel}")
venv=${SCHEMATHESIS_VENV:-$HOME/.cache/aludel-schemathesis}
seconds=${SCHEMATHESIS_SECONDS:-240}

if [ ! -x "$venv/bin/st" ] || [ ! -x "$venv/bin/openapi-spec-validator" ]; then
  python3 -m venv "$venv"
  "$venv/bin/pip" install --quiet --upgrade schemathesis openapi-spec-validator
fi

. tests/with_server.sh
start_server "$program"

# Something to find: the requests of the first phases are about stored prompts and finished jobs.
python3 - "$address" <<'PY'
import json, sys, urllib.request
for number in range(3):
    body = json.dumps({"input": f"a poem about rain, number {number}", "count": 2}).encode()
    headers = {"Content-Type": "application/json"}
    if number == 2:
        headers["Prefer"] = "respond-async"
    request = urllib.request.Request(sys.argv[1] + "/api/v1/prompts/generate", body, headers)
    urllib.request.urlopen(request, timeout=60).read()
PY

python3 - "$address" "$home/openapi.json" <<'PY'
import sys, urllib.request
with open(sys.argv[2], "wb") as file:
    file.write(urllib.request.urlopen(sys.argv[1] + "/openapi.json", timeout=60).read())
PY
"$venv/bin/openapi-spec-validator" "$home/openapi.json"

# All checks are on unless the configuration says otherwise. What it writes goes with the home. One more
# attempt when a connection breaks: the server ends those that are idle for ten seconds, which can meet a
# request on its way, as with any server.
tests=$PWD/tests
code=0
run() {
  local limit=$1
  shift
  (cd "$home" && SCHEMATHESIS_HOOKS=$tests/schemathesis_hooks.py \
    timeout $((limit + 120)) "$venv/bin/st" --config-file "$tests/schemathesis.toml" run "$address/openapi.json" \
    ${SCHEMATHESIS_SEED:+--seed "$SCHEMATHESIS_SEED"} --max-time "$limit" --request-timeout 30 --request-retries 1 --no-color --generation-database none "$@") || code=$?
  kill -0 "$server" || { echo "the server is gone" >&2; cat "$home/err" >&2; exit 1; }
}
# Apart, or the time would be up before the last phase.
run $((seconds * 2 / 3)) --phases examples,coverage,fuzzing
run $((seconds / 3)) --phases stateful
grep -iE "error|panick" "$home/err" >&2 || true
exit "$code"
