"""Messages -> parts, in the order in which a model reads them: texts, tool calls, their results, and the tail.

Providers refuse empty texts, calls without a result and results without a call. Here they are left out or completed,
once for every wire, so that a conversation which was interrupted anywhere can go on.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from reverie.errors import BadInput
from reverie.records.conversation_values import Message, Request, Role, ToolCall

INTERRUPTED = "interrupted: this call was not finished, and has no result"

_NO_CALL = ToolCall("", "", None)


@dataclass(frozen=True, slots=True)
class RequestPart:
    """The content of one block. Parts with the same `message` stand in one message of the provider."""

    kind: Literal["text", "call", "result", "tail"]
    role: Role
    message: int  # which message it belongs to, counted from 0
    text: str = ""
    call: ToolCall = _NO_CALL  # of a call; of a result, the call that it answers
    failed: bool = False


@dataclass(frozen=True, slots=True)
class RequestParts:
    """The parts of a request, and the places between them that a provider's cache cares about.

    A place is a number of parts. `asked` is the end of this turn's user message before its tail, `asked_before` the end
    of the user message before it: where the request of the last turn ended, but for its own tail. 0 if there is none.
    """

    parts: tuple[RequestPart, ...]
    asked_before: int
    asked: int


def parts_of(request: Request) -> RequestParts:
    """The parts of a request, in reading order; BadInput if there is nothing to answer."""
    this_turn = _last_asked(request.messages)
    parts: list[RequestPart] = []
    asked_before = asked = number = 0
    place = 0
    while place < len(request.messages):
        message = request.messages[place]
        place += 1
        if message.role is Role.TOOL:
            continue  # nobody called for it: those that were called for are taken below
        said = _said(message, number)
        results: list[Message] = []
        while message.tool_calls and place < len(request.messages) and request.messages[place].role is Role.TOOL:
            results.append(request.messages[place])
            place += 1
        answers = _answers(message.tool_calls, results, number + 1)
        parts += said + answers
        number += bool(said) + bool(answers)
        if message.role is Role.USER:
            asked_before, asked = asked, len(parts)
        if message is this_turn and request.tail.strip():
            # A message without words still carries its tail.
            parts.append(RequestPart("tail", Role.USER, number - bool(said), request.tail))
            number += not said
    if not any(part.role is not Role.ASSISTANT for part in parts) or parts[-1].role is Role.ASSISTANT:
        raise BadInput("there is nothing to answer: the last message must be a person's words or the result of a tool")
    return RequestParts(tuple(parts), asked_before, asked)


def _last_asked(messages: Sequence[Message]) -> Message | None:
    return next((message for message in reversed(messages) if message.role is Role.USER), None)


def _said(message: Message, number: int) -> list[RequestPart]:
    said = RequestPart("text", message.role, number, message.text)
    calls = [RequestPart("call", message.role, number, call=call) for call in message.tool_calls]
    return [said, *calls] if message.text.strip() else calls


def _answers(calls: Sequence[ToolCall], results: Sequence[Message], number: int) -> list[RequestPart]:
    """One result for each call, in the order of the calls."""
    by_call = {result.call_id: result for result in reversed(results)}
    answers = []
    for call in calls:
        answer = RequestPart("result", Role.TOOL, number, INTERRUPTED, call, failed=True)
        if (result := by_call.get(call.id)) is not None:
            answer = replace(answer, text=result.text, failed=result.failed)
        answers.append(answer)
    return answers
