#!/usr/bin/env bash
# Drives the MCP server with the official SDKs of Python (PyPI, current) and TypeScript (npm, current), in
# both eras of the protocol: every listed tool with good and with bad arguments. See mcp_sdk.json.
#
# Usage: tests/mcp_sdk.sh [program]
# The program is target/release/aludel unless given. Nothing of the user is read or written: each server has
# an empty home, the builtin provider and no other. MCP_SDK_PYTHON and MCP_SDK_NODE are where the packages go.
set -euo pipefail
cd "$(dirname "$0")/.."
program=$(realpath "${1:-target/release/aludel}")
python=${MCP_SDK_PYTHON:-$HOME/.cache/aludel-mcp-python}
node=${MCP_SDK_NODE:-$HOME/.cache/aludel-mcp-node}

if [ ! -e "$python/installed" ]; then
  python3 -m venv "$python"
  "$python/bin/pip" install --quiet --upgrade mcp jsonschema
  touch "$python/installed"
fi
for mode in auto legacy 2026-07-28; do
  "$python/bin/python" tests/mcp_sdk.py "$program" "$mode"
done

. tests/node.sh
node_with "$node" @modelcontextprotocol/client@2 ajv@8
for mode in auto legacy 2026-07-28; do
  timeout 900 node tests/mcp_sdk.mjs "$program" "$mode" "$node"
done
