// Drives the MCP server with the official TypeScript SDK: every listed tool, resource and prompt.
//
// Usage: node mcp_sdk.mjs PROGRAM MODE FOLDER
// MODE is legacy (2025-11-25), auto or 2026-07-28; FOLDER has the packages in its node_modules. The calls
// are in mcp_sdk.json, and the checks are those of mcp_sdk.py, with ajv for the schemas.

import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import { isDeepStrictEqual } from "node:util";

const [program, mode, folder] = process.argv.slice(2);
const require = createRequire(path.resolve(folder, "package.json"));
const { Client } = require("@modelcontextprotocol/client");
const { StdioClientTransport } = require("@modelcontextprotocol/client/stdio");
const { Ajv2020 } = require("ajv/dist/2020.js");

const table = JSON.parse(readFileSync(new URL("mcp_sdk.json", import.meta.url), "utf8"));
const versions = { auto: "2026-07-28", legacy: "2025-11-25", "2026-07-28": "2026-07-28" };
// A call that waits for another process or thread is given up after this many milliseconds.
const patience = 120_000;
// Formats of Rust's numbers and of times are annotations.
const ajv = new Ajv2020({ strict: false, validateFormats: false });

function check(holds, message) {
  if (!holds) throw new Error(message);
}

// The value at a JSON pointer (RFC 6901) without escapes; undefined if there is none.
function at(value, pointer) {
  return pointer.split("/").slice(1).reduce((inner, part) => inner?.[part], value);
}

// The value with every text `$name` replaced by what was kept.
function filled(value, kept) {
  if (typeof value === "string" && value.startsWith("$")) {
    check(kept.has(value.slice(1)), `nothing was kept as ${value}`);
    return kept.get(value.slice(1));
  }
  if (Array.isArray(value)) return value.map((item) => filled(item, kept));
  if (value && typeof value === "object") {
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, filled(item, kept)]));
  }
  return value;
}

// The first expectation that a result does not meet.
function unmet(result, expected) {
  for (const [pointer, wanted] of Object.entries(expected)) {
    const found = at(result, pointer);
    if (!isDeepStrictEqual(found, wanted)) {
      return `${pointer} is ${JSON.stringify(found)}, not ${JSON.stringify(wanted)}`;
    }
  }
  return undefined;
}

async function good(client, step, validators, kept) {
  const call = { name: step.tool, arguments: filled(step.arguments, kept) };
  const expected = filled(step.expect ?? {}, kept);
  const until = Date.now() + (step.wait ? patience : 0);
  for (;;) {
    const result = await client.callTool(call);
    const content = result.structuredContent;
    let wrong;
    if (result.isError) {
      wrong = result.content[0].text;
    } else {
      check(content !== undefined, "there is no structured content");
      const validate = validators.get(step.tool);
      check(validate(content), `not valid by the output schema: ${ajv.errorsText(validate.errors)}`);
      check(result.content.length === 1, `${result.content.length} contents`);
      check(isDeepStrictEqual(JSON.parse(result.content[0].text), content), "the text is not the structured content");
      wrong = unmet(content, expected);
    }
    if (wrong === undefined) {
      for (const [name, pointer] of Object.entries(step.keep ?? {})) kept.set(name, at(content, pointer));
      return;
    }
    check(Date.now() < until, wrong);
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

async function bad(client, step, kept) {
  const result = await client.callTool({ name: step.tool, arguments: filled(step.arguments, kept) });
  check(result.isError === true, `it succeeded: ${JSON.stringify(result.structuredContent)?.slice(0, 300)}`);
  check(result.structuredContent === undefined, "a failure has structured content");
  const problem = JSON.parse(result.content[0].text);
  check(problem.code === step.code, `the code is ${problem.code}: ${problem.detail}`);
  check(problem.detail, "there is no detail");
  const faults = problem.errors ?? [];
  const fields = faults.map((fault) => fault.field).sort();
  check(isDeepStrictEqual(fields, [...step.fields].sort()), `the faults are of ${fields}: ${problem.detail}`);
  check(faults.every((fault) => fault.message), "a fault without a message");
}

async function tools(client) {
  const { tools: listed } = await client.listTools();
  const names = listed.map((tool) => tool.name);
  const validators = new Map();
  for (const tool of listed) {
    check(tool.title && tool.description && tool.annotations, `${tool.name} is not described`);
    ajv.compile(tool.inputSchema);
    validators.set(tool.name, ajv.compile(tool.outputSchema));
  }
  for (const [kind, least] of [["good", 1], ["bad", 2]]) {
    const called = table[kind].map((step) => step.tool);
    const missing = names.filter((name) => called.filter((other) => other === name).length < least);
    check(missing.length === 0, `tools without ${least} ${kind} calls in mcp_sdk.json: ${missing.join(", ")}`);
    const unknown = called.filter((name) => !names.includes(name));
    check(unknown.length === 0, `mcp_sdk.json calls tools that are not listed: ${unknown.join(", ")}`);
  }
  const kept = new Map();
  for (const kind of ["good", "bad"]) {
    for (const [number, step] of table[kind].entries()) {
      try {
        await (kind === "good" ? good(client, step, validators, kept) : bad(client, step, kept));
      } catch (error) {
        throw new Error(`${kind} call ${number + 1}, ${step.tool} ${JSON.stringify(step.arguments)}: ${error.message}`);
      }
    }
  }
  await refused(client.callTool({ name: "no_such_tool", arguments: {} }), [-32602]);
  return [kept, `${names.length} tools, ${table.good.length} good and ${table.bad.length} bad calls`];
}

// Checks that a request is refused with one of these codes.
async function refused(call, codes) {
  const error = await call.then((answer) => ({ message: `an answer: ${JSON.stringify(answer).slice(0, 300)}` }), (error) => error);
  check(codes.includes(error.code) && error.message, `it is not refused as it should be: ${error.code} ${error.message}`);
}

// Stored prompts as resources: listed, read as they are, completed.
async function resources(client, kept) {
  const { resources: listed } = await client.listResources();
  const first = `aludel://prompts/${kept.get("first")}`;
  check(listed.some((resource) => resource.uri === first), "a stored prompt is not listed");
  for (const { uri, name, title } of listed) {
    check(name && title, `${uri} has no name`);
    const { contents } = await client.readResource({ uri });
    check(contents.length === 1 && contents[0].text, `${uri} has no text`);
  }
  const details = await client.callTool({ name: "get_prompt_details", arguments: { prompt_id: kept.get("first") } });
  const { contents } = await client.readResource({ uri: first });
  check(contents[0].text === details.structuredContent.content, "a resource is not the prompt's text");
  const { resourceTemplates: templates } = await client.listResourceTemplates();
  const uris = templates.map((template) => template.uriTemplate);
  check(isDeepStrictEqual(uris, ["aludel://prompts/{id}"]), `the templates are ${uris}`);
  // -32002 in 2025-11-25; 2026-07-28 has no code of its own for this.
  const none = "aludel://prompts/00000000-0000-7000-8000-000000000000";
  await refused(client.readResource({ uri: none }), [-32002, -32602]);
  await refused(client.readResource({ uri: "file:///etc/passwd" }), [-32002, -32602]);
  const ref = { type: "ref/resource", uri: "aludel://prompts/{id}" };
  const argument = { name: "id", value: kept.get("first").slice(-8) };
  const { completion } = await client.complete({ ref, argument });
  check(isDeepStrictEqual(completion.values, [kept.get("first")]), `an id is completed to ${completion.values}`);
  return `${listed.length} resources`;
}

// Personas and prompts tagged `mcp` as prompts of the protocol.
async function prompts(client, kept) {
  const { prompts: listed } = await client.listPrompts();
  for (const persona of ["persona_analysis", "persona_code", "persona_generic", "persona_writing"]) {
    check(listed.some(({ name }) => name === persona), `${persona} is not listed`);
  }
  for (const { name, title, description, arguments: taken = [] } of listed) {
    check(title && description, `${name} is not described`);
    const given = Object.fromEntries(taken.map((argument) => [argument.name, "snow"]));
    const { messages } = await client.getPrompt({ name, arguments: given });
    check(messages.length === 1 && messages[0].content.text.includes("snow"), `${name} is ${JSON.stringify(messages)}`);
    if (taken.length > 0) await refused(client.getPrompt({ name, arguments: {} }), [-32602]);
    await refused(client.getPrompt({ name, arguments: { ...given, nonsense: "x" } }), [-32602]);
  }
  const stored = listed.filter(({ name }) => name.endsWith(kept.get("template").slice(-8)));
  check(stored.length === 1, "a prompt tagged `mcp` is not listed");
  const { messages } = await client.getPrompt({ name: stored[0].name, arguments: { subject: "snow" } });
  check(messages[0].content.text === "Write a haiku about snow.", `a stored prompt is ${messages[0].content.text}`);
  await refused(client.getPrompt({ name: "nobody", arguments: {} }), [-32602]);
  const ref = { type: "ref/prompt", name: "persona_code" };
  const { completion } = await client.complete({ ref, argument: { name: "input", value: "a" } });
  check(completion.values.length === 0, `free text is completed to ${completion.values}`);
  await refused(client.complete({ ref, argument: { name: "nonsense", value: "a" } }), [-32602]);
  return `${listed.length} prompts`;
}

const home = mkdtempSync(path.join(tmpdir(), "aludel-mcp-"));
const env = { HOME: home, PATH: process.env.PATH, OLLAMA_HOST: "127.0.0.1:1" };
const transport = new StdioClientTransport({ command: program, args: ["serve"], env, stderr: "ignore" });
const negotiation = mode === "2026-07-28" ? { pin: mode } : mode;
const client = new Client({ name: "mcp_sdk", version: "1" }, { versionNegotiation: { mode: negotiation } });
try {
  await client.connect(transport);
  const version = client.getNegotiatedProtocolVersion();
  check(version === versions[mode], `the version is ${version}`);
  check(client.getServerVersion()?.name === "aludel", `the server is ${JSON.stringify(client.getServerVersion())}`);
  check(client.getInstructions(), "there are no instructions");
  const [kept, calls] = await tools(client);
  const done = [calls, await resources(client, kept), await prompts(client, kept)];
  console.log(`TypeScript SDK, ${mode} (${version}): ${done.join(", ")}`);
} catch (error) {
  console.error(`TypeScript SDK, ${mode}: ${error.message}`);
  process.exitCode = 1;
} finally {
  await client.close();
  rmSync(home, { recursive: true, force: true });
}
