#!/usr/bin/env bash
# Lists the tools of the MCP server with the official inspector (npm, current), which with --strict warns
# about everything in a schema that some clients refuse. No warning is tolerated, in either era.
#
# Usage: tests/mcp_inspector.sh [program]
# The program is target/release/aludel unless given. Nothing of the user is read or written.
# MCP_INSPECTOR_FOLDER is where the packages go.
set -euo pipefail
cd "$(dirname "$0")/.."
program=$(realpath "${1:-target/release/aludel}")
. tests/node.sh
node_with "${MCP_INSPECTOR_FOLDER:-$HOME/.cache/aludel-mcp-inspector}" @modelcontextprotocol/inspector@2

home=$(mktemp -d)
trap 'rm -rf "$home"' EXIT
for era in legacy modern; do
  code=0
  env -i HOME="$home" PATH="$PATH" MCP_CATALOG_PATH="$home/catalog.json" OLLAMA_HOST=127.0.0.1:1 \
    timeout 120 mcp-inspector --cli "$program" serve --method tools/list --strict --protocol-era "$era" \
    >"$home/tools.json" 2>"$home/err" || code=$?
  if [ "$code" != 0 ] || [ -s "$home/err" ]; then
    cat "$home/err" >&2
    echo "the inspector ended with $code and $(grep -c '^Warning' "$home/err" || true) warnings (era: $era)" >&2
    exit 1
  fi
  tools=$(node -e 'console.log(JSON.parse(require("fs").readFileSync(process.argv[1], "utf8")).tools.length)' "$home/tools.json")
  [ "$tools" -gt 0 ] || { echo "no tool is listed (era: $era)" >&2; exit 1; }
  echo "inspector, $era era: $tools tools, no warning"
done
