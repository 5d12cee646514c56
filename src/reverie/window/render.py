"""A `Request` -> the body that a provider takes: Messages with its cache breakpoints, Chat Completions, plain text.

Pure functions of the request: the same request gives the same bytes, and a request that only grew at its end begins
with the bytes of the one before it, up to that one's tail. What a wire adds (streaming, limits by another name) is left
to `models`.
"""

import json
from collections.abc import Callable, Mapping
from itertools import groupby

from reverie.language.tokens import count_tokens
from reverie.records import JSON
from reverie.records.conversation_values import Request, Role, ToolDefinition
from reverie.window.parts import RequestPart, parts_of

Body = dict[str, JSON]

_MARK: JSON = {"type": "ephemeral"}

# The first message has to be a person's. A history whose beginning was left out may start with an answer.
_LEFT_OUT = "(what was said before is left out)"


def messages_request(request: Request, model: str, *, min_cacheable: int = 0) -> Body:
    """The body for the Messages API.

    Breakpoints, at most the four that are allowed: the last tool, the cached system prompt, the place where the last
    request ended but for its tail (a provider looks for it only 20 blocks back from a breakpoint), and the last block
    that the next request will have as well. In front of a prefix of fewer than `min_cacheable` tokens none is set.
    """

    def is_worth_it(*prefix: Body) -> bool:
        return not min_cacheable or sum(count_tokens(_json(block)) for block in prefix) >= min_cacheable

    found = parts_of(request)
    tools = [_tool(tool) for tool in request.tools]
    system = [_text(request.cached)] if request.cached.strip() else []
    if tools and is_worth_it(*tools):
        tools[-1]["cache_control"] = _MARK
    if system and is_worth_it(*tools, *system):
        system[-1]["cache_control"] = _MARK
    if request.system.strip():
        system.append(_text(request.system))
    blocks = [_block(part) for part in found.parts]
    for place in breakpoints(found.parts, found.asked_before, found.asked):
        if is_worth_it(*tools, *system, *blocks[:place]):
            blocks[place - 1]["cache_control"] = _MARK
    body: Body = {"model": model, "max_tokens": request.max_output_tokens}
    if tools:
        body["tools"] = [*tools]
    if system:
        body["system"] = [*system]
    body["messages"] = _gathered(found.parts, blocks)
    return body


def breakpoints(parts: tuple[RequestPart, ...], asked_before: int, asked: int) -> tuple[int, ...]:
    """The places in the history after which the cache is marked, each a number of parts.

    At the start of a turn: where the last turn began, which its first request marked, and where this one begins. In a
    tool loop: where this turn begins, and the newest block. The tail has its place in the loop's prefix then, and is
    written once instead of billed with every call.
    """
    is_loop = any(part.kind != "tail" for part in parts[asked:])
    places = (asked, len(parts)) if is_loop else (asked_before, asked)
    return tuple(dict.fromkeys(place for place in places if place))


def chat_request(request: Request, model: str) -> Body:
    """The body for Chat Completions. Those servers cache prefixes by themselves; the order is what counts."""
    system = "\n\n".join(text for text in (request.cached, request.system) if text.strip())
    messages: list[JSON] = [{"role": "system", "content": system}] if system else []
    for _, group in groupby(parts_of(request).parts, key=lambda part: part.message):
        parts = list(group)
        match parts[0].role:
            case Role.TOOL:
                messages += [{"role": "tool", "tool_call_id": part.call.id, "content": _result(part)} for part in parts]
            case Role.ASSISTANT:
                messages.append(_assistant(parts))
            case Role.USER:
                messages.append({"role": "user", "content": "\n\n".join(part.text for part in parts)})
    body: Body = {"model": model, "max_tokens": request.max_output_tokens, "messages": messages}
    if request.tools:
        body["tools"] = [{"type": "function", "function": _function(tool)} for tool in request.tools]
    return body


Render = Callable[[Request, str], Mapping[str, JSON]]

# By the name of the provider in the settings.
RENDERERS: Mapping[str, Render] = {"anthropic": messages_request, "openai": chat_request}


# ---- the Messages API


def tool_text(tool: ToolDefinition) -> str:
    """A tool's definition as it is sent."""
    return _json(_tool(tool))


def part_text(part: RequestPart) -> str:
    """Return the text of a part, with its frame where the frame can differ."""
    if part.kind == "call":
        return _json(_block(part))
    return f"{part.call.id} {_result(part)}" if part.kind == "result" else part.text


def _tool(tool: ToolDefinition) -> Body:
    return {"name": tool.name, "description": tool.description, "input_schema": dict(tool.input_schema)}


def _text(text: str) -> Body:
    return {"type": "text", "text": text}


def _block(part: RequestPart) -> Body:
    if part.kind == "call":
        given = part.call.input
        # A model may call a tool with something that is no object, or no JSON at all; the API takes only objects.
        shown: JSON = given if isinstance(given, dict) else {"unreadable": given}
        return {"type": "tool_use", "id": part.call.id, "name": part.call.name, "input": shown}
    if part.kind == "result":
        block: Body = {"type": "tool_result", "tool_use_id": part.call.id}
        if part.text.strip():
            block["content"] = part.text
        return {**block, "is_error": True} if part.failed else block
    return _text(part.text)


def _gathered(parts: tuple[RequestPart, ...], blocks: list[Body]) -> list[JSON]:
    messages: list[JSON] = []
    if parts[0].role is Role.ASSISTANT:
        messages.append({"role": "user", "content": [_text(_LEFT_OUT)]})
    for _, group in groupby(zip(parts, blocks, strict=True), key=lambda pair: pair[0].message):
        pairs = list(group)
        role = "assistant" if pairs[0][0].role is Role.ASSISTANT else "user"
        messages.append({"role": role, "content": [block for _, block in pairs]})
    return messages


# ---- Chat Completions


def _function(tool: ToolDefinition) -> Body:
    return {"name": tool.name, "description": tool.description, "parameters": dict(tool.input_schema)}


def _assistant(parts: list[RequestPart]) -> Body:
    words = "".join(part.text for part in parts if part.kind == "text")
    calls: list[JSON] = []
    for part in parts:
        if part.kind == "call":
            given = part.call.input
            arguments = given if isinstance(given, str) else _json(given)
            function: JSON = {"name": part.call.name, "arguments": arguments}
            calls.append({"id": part.call.id, "type": "function", "function": function})
    said: Body = {"role": "assistant", "content": words or None}
    return {**said, "tool_calls": calls} if calls else said


def _result(part: RequestPart) -> str:
    """Chat Completions has no mark for a result that is a failure, so the words say it."""
    return f"failed: {part.text}" if part.failed else part.text


def _json(value: JSON) -> str:
    return json.dumps(value, ensure_ascii=False)
