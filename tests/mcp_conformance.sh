#!/usr/bin/env bash
# The conformance suite of the protocol's authors (npm, @modelcontextprotocol/conformance) against
# `serve --port`: every scenario that each revision requires of a server, and of the others those about the
# transport. Most call tools, prompts and resources of the suite's own, so it runs twice: against the program,
# and against the same server with these fixtures (tests/mcp_fixtures), there with the scenarios of extensions,
# too. What is expected to fail is in tests/mcp_conformance.yml and tests/mcp_conformance_fixtures.yml, each
# with its reason; a scenario listed there that passes is a failure, too.
#
# Usage: tests/mcp_conformance.sh [program [program with fixtures]]
# The program is target/release/aludel unless given, and the other target/debug/examples/mcp_fixtures, which
# `cargo build --features conformance-fixtures --example mcp_fixtures` builds. Nothing of the user is read or
# written. The suite and the Node that it needs (24) go to MCP_CONFORMANCE_HOME. Prints what passes, and for a
# failure what the suite said.
set -euo pipefail
cd "$(dirname "$0")/.."
program=$(realpath "${1:-target/release/aludel}")
fixtures=$(realpath "${2:-target/debug/examples/mcp_fixtures}")
suite=${MCP_CONFORMANCE_HOME:-$HOME/.cache/aludel-mcp-conformance}
version=0.2.0-alpha.12

if ! grep -qs "\"version\": \"$version\"" "$suite/node_modules/@modelcontextprotocol/conformance/package.json" \
  || [ ! -x "$suite/node_modules/.bin/node" ]; then
  mkdir -p "$suite"
  npm install --silent --no-fund --no-audit --prefix "$suite" node@24 "@modelcontextprotocol/conformance@$version"
fi
export PATH=$suite/node_modules/.bin:$PATH

. tests/with_server.sh

# serves PROGRAM: starts a server in place of the one before.
serves() {
  [ -z "${server:-}" ] || cleanup || true
  start_server "$1" serve
}

# conforms NAME ARGUMENT…: runs the suite with these arguments.
code=0
conforms() {
  local name=$1 log=$home/$1.log
  shift
  if (cd "$home" && timeout 600 conformance server --url "$address" --output-dir "$home/$name" "$@" >"$log" 2>&1) \
    && ! grep -q '^SKIPPED' "$log"; then
    echo "$name: as expected"
    grep '^✓' "$log" || true
  else
    code=1
    echo "$name: not as expected"
    sed -n '/=== SUMMARY\|Test Results\|^SKIPPED/,$p' "$log"
  fi
  kill -0 "$server" || { echo "the server is gone" >&2; cat "$home/err" >&2; exit 1; }
}

# required EXPECTED: runs what each revision requires, with the failures that this file lists.
required() {
  for revision in 2025-11-25 2026-07-28; do
    conforms "$revision" --requirements "$revision" --expected-failures "$PWD/tests/$1"
  done
  # Not required, as they came after their revision.
  conforms session-lifecycle --scenario server-session-lifecycle --spec-version 2025-11-25
  conforms header-validation --scenario http-header-validation --spec-version 2026-07-28
}

# more REVISION SCENARIO…: runs scenarios that the revision does not require. Those of extensions belong to none,
# and are skipped unless forced.
more() {
  local revision=$1 scenario
  shift
  for scenario in "$@"; do
    conforms "$scenario-$revision" --scenario "$scenario" --spec-version "$revision" --force \
      --expected-failures "$PWD/tests/mcp_conformance_fixtures.yml"
  done
}

no_panic() {
  grep -iE "panick" "$home/err" >&2 && code=1
  return 0
}

# A tool that panics, over standard input and output with all logging on: what is written to standard output is
# JSON-RPC all the same, the calls before and after are answered, and the report goes to standard error.
panics() {
  local params='"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"panics","version":"1"}'
  {
    echo '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{'"$params"'}}'
    echo '{"jsonrpc":"2.0","method":"notifications/initialized"}'
    echo '{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"test_panic","arguments":{}}}'
    echo '{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"greet","arguments":{"name":"you"}}}'
    sleep 2
  } | env -i HOME="$home" PATH="$PATH" "$fixtures" --log-level trace serve >"$home/panic.out" 2>"$home/panic.err" ||
    { code=1; echo "it ended with $?"; }
  node -e '
    const lines = require("fs").readFileSync(0, "utf8").trimEnd().split("\n").map(line => JSON.parse(line));
    const bad = lines.filter(line => line.jsonrpc !== "2.0");
    const answered = [1, 3].every(id => lines.some(line => line.id === id && line.result));
    if (bad.length > 0 || !answered) { console.error(lines); process.exit(1); }
    console.log(lines.length + " lines, all JSON-RPC");
  ' <"$home/panic.out" || code=1
  grep -q "panicked at" "$home/panic.err" || { code=1; echo "no panic was provoked"; }
}

echo "== the server"
serves "$program"
required mcp_conformance.yml
no_panic
echo "== the server with the suite's fixtures"
serves "$fixtures"
required mcp_conformance_fixtures.yml
more 2025-11-25 json-schema-2020-12 server-sse-polling
more 2026-07-28 json-schema-2020-12 http-custom-header-server-validation tasks-lifecycle \
  tasks-capability-negotiation tasks-wire-fields tasks-request-state-removal tasks-mrtr-input tasks-request-headers \
  tasks-dispatch-and-envelope tasks-required-task-error tasks-mrtr-composition
no_panic
echo "== a panic while a call is served"
panics
exit "$code"
