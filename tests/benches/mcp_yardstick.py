#!/usr/bin/env python3
"""The MCP server over standard input and output, beside the least servers of the official SDKs, in one run.

usage: tests/mcp_sdk.sh PROGRAM; PYTHON tests/benches/mcp_yardstick.py PROGRAM [TYPESCRIPT [RMCP]]
PYTHON has the package `mcp` (that of tests/mcp_sdk.sh does), TYPESCRIPT is a folder with the npm packages
`@modelcontextprotocol/server` and `zod`, RMCP a server of the Rust SDK with the tool `echo`; those not given
are left out.

Each server is started anew in each of ROUNDS rounds, the servers in turn. Measured are the time from the start
to the answer to `initialize` (ours with its database open), the round trip of a trivial tool (ours is
`get_system_info`, theirs echo 200 bytes), the calls a second one after another, and with 64 in flight, and the
peak resident memory. The client is this script, over pipes: it adds the same to each, so the ratios are rather
too small than too large.
"""
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

ROUNDS, STARTS, CALLS, IN_FLIGHT, PIPELINED = 5, 5, 2000, 64, 20000

PYTHON_SERVER = """
from mcp.server import MCPServer
server = MCPServer("echo", log_level="ERROR")
@server.tool()
def echo(text: str) -> str:
    return text
server.run("stdio")
"""

TYPESCRIPT_SERVER = """
import { McpServer } from '@modelcontextprotocol/server';
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import * as z from 'zod';
const server = new McpServer({ name: 'echo', version: '1' });
server.registerTool('echo', { description: 'echo', inputSchema: z.object({ text: z.string() }) },
  async ({ text }) => ({ content: [{ type: 'text', text }] }));
await server.connect(new StdioServerTransport());
"""


def line(message):
    return json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n"


class Server:
    def __init__(self, command, tool, arguments, home):
        self.tool = {"name": tool, "arguments": arguments}
        began = time.perf_counter()
        env = {"HOME": home, "PATH": os.environ["PATH"], "OLLAMA_HOST": "127.0.0.1:1"}
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=env, bufsize=0
        )
        self.output = os.fdopen(os.dup(self.process.stdout.fileno()), "rb", buffering=1 << 20)
        hello = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}}
        self.process.stdin.write(line({"id": 0, "method": "initialize", "params": hello}))
        answer = json.loads(self.output.readline())
        assert "result" in answer, answer
        self.began_ms = (time.perf_counter() - began) * 1e3
        self.process.stdin.write(line({"method": "notifications/initialized"}))

    def call(self, number):
        return line({"id": number, "method": "tools/call", "params": self.tool})

    def trips(self):
        """Seconds of each call, one after another. The first hundred warm up."""
        waits = []
        for number in range(1, CALLS + 101):
            message = self.call(number)
            began = time.perf_counter()
            self.process.stdin.write(message)
            answer = self.output.readline()
            waits.append(time.perf_counter() - began)
            assert b'"result"' in answer and b'"isError":true' not in answer, answer
        return waits[100:]

    def pipelined(self):
        """Calls a second with IN_FLIGHT of them unanswered."""
        messages = [self.call(number) for number in range(10_000, 10_000 + PIPELINED)]
        began = time.perf_counter()
        self.process.stdin.write(b"".join(messages[:IN_FLIGHT]))
        for message in messages[IN_FLIGHT:]:
            self.output.readline()
            self.process.stdin.write(message)
        for _ in range(IN_FLIGHT):
            assert b'"result"' in self.output.readline()
        return PIPELINED / (time.perf_counter() - began)

    def end(self):
        """Peak resident memory in MB."""
        with open(f"/proc/{self.process.pid}/status") as status:
            peak = next(int(row.split()[1]) for row in status if row.startswith("VmHWM"))
        self.process.stdin.close()
        self.process.wait(10)
        return peak / 1024


def main():
    program, typescript, rmcp = (sys.argv[1:] + [None, None])[:3]
    echo = {"text": "x" * 200}
    with tempfile.TemporaryDirectory() as home:
        subprocess.run([program, "generate", "Name a bakery", "--quiet"], env={"HOME": home}, check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        servers = {"aludel": ([program, "serve"], "get_system_info", {})}
        servers["Python SDK"] = ([sys.executable, "-c", PYTHON_SERVER], "echo", echo)
        if typescript:
            script = os.path.join(typescript, "bench_server.mjs")
            with open(script, "w") as file:
                file.write(TYPESCRIPT_SERVER)
            servers["TypeScript SDK"] = (["node", script], "echo", echo)
        if rmcp:
            servers["rmcp"] = ([rmcp], "echo", echo)
        measured = {name: [] for name in servers}
        for _ in range(ROUNDS):
            for name, (command, tool, arguments) in servers.items():
                # The first start of a round pays for what another server left in the caches.
                starts = []
                for _ in range(STARTS):
                    server = Server(command, tool, arguments, home)
                    starts.append(server.began_ms)
                    server.end()
                server = Server(command, tool, arguments, home)
                trips = server.trips()
                p50, p99 = statistics.median(trips) * 1e6, statistics.quantiles(trips, n=100)[98] * 1e6
                rate = server.pipelined()
                measured[name].append((statistics.median(starts), p50, p99, 1 / statistics.mean(trips), rate, server.end()))
    medians = {name: [statistics.median(column) for column in zip(*rows)] for name, rows in measured.items()}
    ours = medians["aludel"]
    for name, (began, p50, p99, sequential, rate, memory) in medians.items():
        print(f"{name}: {began:.1f} ms to initialised, {p50:.0f} us p50, {p99:.0f} us p99, {sequential:.0f} calls/s, "
              f"{rate:.0f} calls/s with {IN_FLIGHT} in flight, {memory:.0f} MB")
        if name != "aludel":
            print(f"  aludel: start {began / ours[0]:.2f} times as fast, round trip {p50 / ours[1]:.2f}, "
                  f"sequential {ours[3] / sequential:.2f}, in flight {ours[4] / rate:.2f}")


main()
