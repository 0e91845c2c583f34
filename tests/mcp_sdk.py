"""Drives the MCP server with the official Python SDK: every listed tool, resource and prompt.

Usage: mcp_sdk.py PROGRAM MODE
MODE is auto, legacy (2025-11-25) or 2026-07-28. The calls are in mcp_sdk.json. A good result must have
structured content that is valid by the tool's output schema and is the same JSON as its text. A bad call
must fail as a result, not as a protocol error, with an error whose faults name the fields. A tool that is
listed and not in the table fails.
"""

import asyncio
import json
import os
import sys
import tempfile
import time
from pathlib import Path

from jsonschema import Draft202012Validator
from mcp import Client, MCPError, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp_types import PromptReference, ResourceTemplateReference

TABLE = json.loads((Path(__file__).parent / "mcp_sdk.json").read_text())
VERSIONS = {"auto": "2026-07-28", "legacy": "2025-11-25", "2026-07-28": "2026-07-28"}
# A call that waits for another process or thread is given up after this many seconds.
PATIENCE = 120


class Failed(Exception):
    """A check that failed."""


def check(holds, message):
    if not holds:
        raise Failed(message)


def at(value, pointer):
    """The value at a JSON pointer (RFC 6901) without escapes."""
    for part in pointer.split("/")[1:]:
        value = value[int(part)] if isinstance(value, list) else value[part]
    return value


def filled(value, kept):
    """The value with every text `$name` replaced by what was kept."""
    if isinstance(value, str) and value.startswith("$"):
        return kept[value[1:]]
    if isinstance(value, list):
        return [filled(item, kept) for item in value]
    if isinstance(value, dict):
        return {name: filled(item, kept) for name, item in value.items()}
    return value


def unmet(result, expected):
    """The first expectation that a result does not meet, or None."""
    for pointer, wanted in expected.items():
        try:
            found = at(result, pointer)
        except (KeyError, IndexError, TypeError):
            return f"{pointer} is missing"
        if found != wanted:
            return f"{pointer} is {found!r}, not {wanted!r}"
    return None


async def good(client, step, schemas, kept):
    tool = step["tool"]
    arguments, expected = filled(step["arguments"], kept), filled(step.get("expect", {}), kept)
    until = time.monotonic() + (PATIENCE if step.get("wait") else 0)
    while True:
        result = await client.call_tool(tool, arguments)
        wrong = None
        if result.is_error:
            wrong = result.content[0].text
        else:
            content = result.structured_content
            check(content is not None, "there is no structured content")
            for error in Draft202012Validator(schemas[tool]).iter_errors(content):
                raise Failed(f"not valid by the output schema: {error.json_path}: {error.message}")
            check(len(result.content) == 1, f"{len(result.content)} contents")
            check(json.loads(result.content[0].text) == content, "the text is not the structured content")
            wrong = unmet(content, expected)
        if wrong is None:
            for name, pointer in step.get("keep", {}).items():
                kept[name] = at(content, pointer)
            return
        check(time.monotonic() < until, wrong)
        await asyncio.sleep(0.2)


async def bad(client, step, kept):
    result = await client.call_tool(step["tool"], filled(step["arguments"], kept))
    check(result.is_error, f"it succeeded: {str(result.structured_content)[:300]}")
    check(result.structured_content is None, "a failure has structured content")
    problem = json.loads(result.content[0].text)
    check(problem["code"] == step["code"], f"the code is {problem['code']}: {problem['detail']}")
    check(problem["detail"], "there is no detail")
    fields = [fault["field"] for fault in problem.get("errors", [])]
    check(sorted(fields) == sorted(step["fields"]), f"the faults are of {fields}: {problem['detail']}")
    check(all(fault["message"] for fault in problem.get("errors", [])), "a fault without a message")


async def tools(client):
    listed = await all_pages(client.list_tools, "tools")
    names = [tool.name for tool in listed]
    schemas = {tool.name: tool.output_schema for tool in listed}
    for tool in listed:
        check(tool.title and tool.description and tool.annotations, f"{tool.name} is not described")
        Draft202012Validator.check_schema(tool.input_schema)
        Draft202012Validator.check_schema(tool.output_schema)
    for kind, least in (("good", 1), ("bad", 2)):
        called = [step["tool"] for step in TABLE[kind]]
        missing = [name for name in names if called.count(name) < least]
        check(not missing, f"tools without {least} {kind} calls in mcp_sdk.json: {', '.join(missing)}")
        unknown = sorted(set(called) - set(names))
        check(not unknown, f"mcp_sdk.json calls tools that are not listed: {', '.join(unknown)}")
    kept = {}
    for kind in ("good", "bad"):
        for number, step in enumerate(TABLE[kind]):
            try:
                await (good(client, step, schemas, kept) if kind == "good" else bad(client, step, kept))
            except (Failed, KeyError, TypeError, json.JSONDecodeError) as error:
                raise Failed(f"{kind} call {number + 1}, {step['tool']} {json.dumps(step['arguments'])}: {error!r}") from error
    await refused(client.call_tool("no_such_tool", {}), [-32602])
    return kept, f"{len(names)} tools, {len(TABLE['good'])} good and {len(TABLE['bad'])} bad calls"


async def refused(call, codes):
    """Checks that a request is refused with one of these codes."""
    try:
        answer = await call
    except MCPError as error:
        check(error.code in codes, f"it is refused with {error.code}: {error}")
        check(error.message, "it is refused without a message")
    else:
        raise Failed(f"it is not refused: {str(answer)[:300]}")


async def all_pages(method, name):
    """Everything that a method lists."""
    items, cursor = [], None
    while True:
        page = await method(cursor=cursor)
        items += getattr(page, name)
        cursor = page.next_cursor
        if cursor is None:
            return items


async def resources(client, kept):
    """Stored prompts as resources: listed, read as they are, completed."""
    listed = await all_pages(client.list_resources, "resources")
    first = f"aludel://prompts/{kept['first']}"
    check(first in [str(resource.uri) for resource in listed], "a stored prompt is not listed")
    for resource in listed:
        check(resource.name and resource.title, f"{resource.uri} has no name")
        contents = (await client.read_resource(str(resource.uri))).contents
        check(len(contents) == 1 and contents[0].text, f"{resource.uri} has no text")
    details = await client.call_tool("get_prompt_details", {"prompt_id": kept["first"]})
    text = (await client.read_resource(first)).contents[0].text
    check(text == details.structured_content["content"], "a resource is not the prompt's text")
    templates = (await client.list_resource_templates()).resource_templates
    check([t.uri_template for t in templates] == ["aludel://prompts/{id}"], f"the templates are {templates}")
    # -32002 in 2025-11-25; 2026-07-28 has no code of its own for this.
    none = "aludel://prompts/00000000-0000-7000-8000-000000000000"
    await refused(client.read_resource(none), [-32002, -32602])
    await refused(client.read_resource("file:///etc/passwd"), [-32002, -32602])
    ref = ResourceTemplateReference(type="ref/resource", uri="aludel://prompts/{id}")
    found = (await client.complete(ref, {"name": "id", "value": kept["first"][-8:]})).completion
    check(found.values == [kept["first"]], f"an id is completed to {found.values}")
    return f"{len(listed)} resources"


async def prompts(client, kept):
    """Personas and prompts tagged `mcp` as prompts of the protocol."""
    listed = await all_pages(client.list_prompts, "prompts")
    names = [prompt.name for prompt in listed]
    for persona in ("persona_analysis", "persona_code", "persona_generic", "persona_writing"):
        check(persona in names, f"{persona} is not listed")
    for prompt in listed:
        check(prompt.title and prompt.description, f"{prompt.name} is not described")
        filled_in = {argument.name: "snow" for argument in prompt.arguments or []}
        messages = (await client.get_prompt(prompt.name, filled_in)).messages
        check(len(messages) == 1 and "snow" in messages[0].content.text, f"{prompt.name} is {messages}")
        if filled_in:
            await refused(client.get_prompt(prompt.name, {}), [-32602])
        await refused(client.get_prompt(prompt.name, {**filled_in, "nonsense": "x"}), [-32602])
    [stored] = [prompt for prompt in listed if prompt.name.endswith(kept["template"][-8:])]
    filled_in = (await client.get_prompt(stored.name, {"subject": "snow"})).messages[0].content.text
    check(filled_in == "Write a haiku about snow.", f"a stored prompt is {filled_in!r}")
    await refused(client.get_prompt("nobody", {}), [-32602])
    ref = PromptReference(type="ref/prompt", name="persona_code")
    found = (await client.complete(ref, {"name": "input", "value": "a"})).completion
    check(found.values == [], f"free text is completed to {found.values}")
    await refused(client.complete(ref, {"name": "nonsense", "value": "a"}), [-32602])
    return f"{len(listed)} prompts"


async def main(program, mode):
    with tempfile.TemporaryDirectory() as home:
        env = {"HOME": home, "PATH": os.environ["PATH"], "OLLAMA_HOST": "127.0.0.1:1"}
        server = StdioServerParameters(command=program, args=["serve"], env=env)
        log = open(os.path.join(home, "log"), "w")
        async with Client(stdio_client(server, errlog=log), mode=mode) as client:
            check(client.protocol_version == VERSIONS[mode], f"the version is {client.protocol_version}")
            if mode != "2026-07-28":
                # A pinned version asks the server nothing before the first call.
                check(client.server_info.name == "aludel", f"the server is {client.server_info}")
                check(client.instructions, "there are no instructions")
            kept, calls = await tools(client)
            done = [calls, await resources(client, kept), await prompts(client, kept)]
            print(f"Python SDK, {mode} ({client.protocol_version}): {', '.join(done)}")


def first(error):
    """The first failure of a group, which groups of tasks nest."""
    return first(error.exceptions[0]) if isinstance(error, BaseExceptionGroup) else error


if __name__ == "__main__":
    try:
        asyncio.run(asyncio.wait_for(main(sys.argv[1], sys.argv[2]), 900))
    except* Failed as failures:
        sys.exit(f"Python SDK, {sys.argv[2]}: {first(failures)}")
