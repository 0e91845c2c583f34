#!/usr/bin/env bash
# The conformance suite of the protocol's authors (npm, @modelcontextprotocol/conformance) against
# `serve --port`: every scenario that each revision requires of a server, and of the others those about the
# transport. What is expected to fail is in tests/mcp_conformance.yml, each with its reason; a scenario listed
# there that passes is a failure, too.
#
# Usage: tests/mcp_conformance.sh [program]
# The program is target/release/aludel unless given. Nothing of the user is read or written. The suite and the
# Node that it needs (24) go to MCP_CONFORMANCE_HOME. Prints what passes, and for a failure
# what the suite said.
set -euo pipefail
cd "$(dirname "$0")/.."
program=$(realpath "${1:-target/release/aludel}")
suite=${MCP_CONFORMANCE_HOME:-$HOME/.cache/aludel-mcp-conformance}
version=0.2.0-alpha.12

if ! grep -qs "\"version\": \"$version\"" "$suite/node_modules/@modelcontextprotocol/conformance/package.json" \
  || [ ! -x "$suite/node_modules/.bin/node" ]; then
  mkdir -p "$suite"
  npm install --silent --no-fund --no-audit --prefix "$suite" node@24 "@modelcontextprotocol/conformance@$version"
fi
export PATH=$suite/node_modules/.bin:$PATH

. tests/with_server.sh
start_server "$program" serve

# conforms NAME ARGUMENT…: runs the suite with these arguments.
code=0
conforms() {
  local name=$1 log=$home/$1.log
  shift
  if (cd "$home" && timeout 600 conformance server --url "$address" --output-dir "$home/$name" "$@" >"$log" 2>&1); then
    echo "$name: as expected"
    grep '^✓' "$log" || true
  else
    code=1
    echo "$name: not as expected"
    sed -n '/=== SUMMARY\|Test Results/,$p' "$log"
  fi
  kill -0 "$server" || { echo "the server is gone" >&2; cat "$home/err" >&2; exit 1; }
}
for revision in 2025-11-25 2026-07-28; do
  conforms "$revision" --requirements "$revision" --expected-failures "$PWD/tests/mcp_conformance.yml"
done
# Not required, as they came after their revision.
conforms session-lifecycle --scenario server-session-lifecycle --spec-version 2025-11-25
conforms header-validation --scenario http-header-validation --spec-version 2026-07-28
grep -iE "panick" "$home/err" >&2 && code=1
exit "$code"
