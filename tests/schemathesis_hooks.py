"""What a schema cannot say, so that schemathesis does not ask for it and expect a success.

The hook drops or mends one thing after the other of a generated request; nothing of a response is hidden.
Requests that are meant to be refused are left alone. A check of our own knows that a deleted prompt can be
restored.
"""

import uuid

import schemathesis

# Bodies of these types are set as text: it takes bytes for a body that breaks the schema.
schemathesis.serializer.alias(
    ["text/csv", "application/x-ndjson", "application/jsonl", "application/json-lines", "application/octet-stream"],
    "text/plain",
)

LIMITS = ("timeout_s", "budget_usd", "max_calls")


FILES = {
    "application/x-ndjson": '{"input": "rain"}\n',
    "application/jsonl": '{"input": "rain"}\n',
    "application/json-lines": '{"input": "rain"}\n',
    "text/csv": "input\nrain\n",
    "application/yaml": [{"input": "rain"}],
    "application/x-yaml": [{"input": "rain"}],
    "text/plain": "rain",
}

PROMPTS = {
    "application/json": [{"content": "rain"}],
    "application/x-ndjson": '{"content": "rain"}\n',
    "application/jsonl": '{"content": "rain"}\n',
    "application/json-lines": '{"content": "rain"}\n',
    "text/csv": "content\nrain\n",
    "application/yaml": [{"content": "rain"}],
    "application/x-yaml": [{"content": "rain"}],
    "text/plain": '{"content": "rain"}',
    "application/octet-stream": '{"content": "rain"}',
}


def rows(body):
    return [row for row in body.get("rows") or [] if isinstance(row, dict)]


def is_negative(case):
    return case.meta is not None and case.meta.generation.mode.is_negative


@schemathesis.hook
def before_call(context, case, kwargs):
    if is_negative(case):
        return
    # What is mended here stays a request that should be accepted.
    case.freeze_metadata()
    query = case.query if isinstance(case.query, dict) else {}
    body = case.body if isinstance(case.body, dict) else {}
    # Opaque: a page gives it, for the list in the same order.
    query.pop("cursor", None)
    # Two parameters that exclude each other.
    if query.get("semantic") and query.get("hybrid"):
        query.pop("semantic")
    # A revision is given by the header or by a field, not by both.
    if case.headers and any(name.lower() == "if-match" for name in case.headers):
        query.pop("revision", None)
        body.pop("revision", None)
    # A key is used once: another request under it is refused, which schemathesis cannot know.
    for name in case.headers or {}:
        if name.lower() == "idempotency-key":
            case.headers[name] = f'"{uuid.uuid4()}"'
    # A limit that ends a run before it has made anything is answered with the code of that limit (422 or 504).
    # That is shown by the tests of the repository; here runs are to succeed.
    for limit in LIMITS:
        body.pop(limit, None)
    # Only the builtin provider can be called here: the others are known and have no key (502).
    for request in [query if case.operation.path.endswith("/batch") else {}, body, *rows(body)]:
        for name in ("provider", "judge_provider"):
            if request.get(name):
                request[name] = "builtin"
    # Where the body is JSON, the fields of the query are in it.
    if case.media_type == "application/json" and case.operation.path.endswith("/batch"):
        case.query = {}
    # A prompt has a limited number of tags in all, so how many can be added depends on what is stored.
    if body.get("add_tags"):
        body["add_tags"] = ["seen"]
    # Prompts are named once each, whatever the dashes and the case of their ids.
    if isinstance(body.get("prompt_ids"), list):
        named = {key.replace("-", "").lower(): key for key in body["prompt_ids"] if isinstance(key, str)}
        if len(named) < len(body["prompt_ids"]):
            body["prompt_ids"] = ["@last", f"{uuid.uuid4()}"]
    # A file has no schema: each has one good row or prompt, and its media type says the format.
    files = PROMPTS if case.operation.path.endswith("/import") else FILES
    if case.media_type in files:
        case.body = files[case.media_type]
        for name in (*LIMITS, "format"):
            if name in query:
                del query[name]
    # The ids of rows are distinct, and so are the keys of prompts whatever their case and dashes.
    for row in rows(body):
        row.pop("id", None)
        for limit in LIMITS:
            row.pop(limit, None)


# The ids of prompts that are in the trash or gone, by the answers to DELETE and to restoring.
deleted = set()


@schemathesis.check
def deleted_prompt_is_not_served(ctx, response, case):
    """After a DELETE no answer is a prompt of that id, unless it was restored: in whatever order, by whatever
    name the prompt was called, and over all that was sent before."""
    path, method = case.operation.path, case.operation.method.upper()
    is_done = response.status_code in (200, 201) and bool(response.content)
    if not path.startswith("/api/v1/prompts/{prompt_id}") or not is_done:
        return
    answer = response.json()
    if method == "DELETE":
        assert answer["deleted"], "nothing was deleted"
        deleted.update(answer["deleted"])
    elif path.endswith("/restore"):
        deleted.discard(answer["id"])
    else:
        called = str((case.path_parameters or {}).get("prompt_id"))
        prompts = answer if isinstance(answer, list) else [answer]
        for served in [called, *(prompt.get(name) for prompt in prompts for name in ("id", "prompt_id"))]:
            assert served not in deleted, f"{served} was deleted and is served"
