"""Messages of a conversation -> the log and the list of messages, without secrets; and back.

The log keeps everything whole; what a model is shown of a very long message is cut in the middle, and says so.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from reverie.capture.observation_input import captured
from reverie.continuum.dependencies import UserParts
from reverie.errors import ReverieError
from reverie.foundation.text import clip, without_controls
from reverie.language.host_tags import defused, from_metadata, whole
from reverie.pipeline.open_store import OpenStore
from reverie.records import Kind, ToolUse
from reverie.records.conversation_values import Message, Role, Segment, ToolCall


class Outdated(ReverieError):
    """Raised when something that is about to be stored may repeat what was forgotten meanwhile."""


_SPEAKERS = {Role.USER: "user", Role.ASSISTANT: "assistant", Role.TOOL: ""}
_KINDS = {Role.USER: Kind.USER_MESSAGE, Role.ASSISTANT: Kind.ASSISTANT_MESSAGE, Role.TOOL: Kind.TOOL_CALL}


def keep_said(
    parts: UserParts,
    segment: Segment,
    turn: int,
    role: Role,
    text: str,
    *,
    tool: ToolUse | None = None,
    call_id: str = "",
    calls: tuple[ToolCall, ...] = (),
    metadata: Mapping[str, Any] | None = None,
    erasures: int | None = None,
) -> Message:
    """Keep one message. One that only calls tools has no text, and no observation of its own.

    With `erasures`, only if nothing was forgotten for good since there were so many: what a model says in answer to a
    prompt of before may repeat what is to be gone.
    """
    mark, now = parts.store.env.random_bytes(8).hex(), parts.store.env.now_ms()
    fields: dict[str, Any] = {"text": text, "kind": _KINDS[role], "speaker": _SPEAKERS[role], "session": segment.id}
    fields |= {"id": f"chat:{mark}", "metadata": dict(metadata or {})}
    said = replace(captured(fields, now, parts.store.engine.mark), tool=tool)
    message = Message(
        role=role,
        text=said.text,
        at_ms=now,
        turn=turn,
        segment_id=segment.id,
        tool_calls=calls,
        call_id=call_id,
        id=f"calls-{mark}",
        of_host=from_metadata(said.metadata),
    )
    with parts.store.engine.write():
        if erasures is not None and parts.store.engine.erasures() != erasures:
            raise Outdated("something was forgotten for good while this was answered; it is not kept, ask again")
        if text.strip() or not calls:
            message = replace(message, id=parts.ingest.keep(said).id)
        parts.store.engine.conversations.add(segment.continuum_id, message)
    return message


def said_in(store: OpenStore, segment: Segment) -> list[Message]:
    """Return the messages of a segment without those that were forgotten; softly forgotten ones can come back."""
    messages = store.engine.conversations.messages(segment.continuum_id, segment.id)
    hidden = store.engine.items.hidden([message.id for message in messages])
    gone = {call.id for message in messages if message.id in hidden for call in message.tool_calls}
    return [message for message in messages if message.id not in hidden and message.call_id not in gone]


def as_shown(message: Message, most_chars: int) -> Message:
    """The message as a model is shown it: what is long is cut, and nothing in it is a control or a tag of a host.

    Other markup stays: in a conversation it is code that people and tools speak of.
    """
    text = defused(without_controls(whole(message.text, message.of_host)))
    return replace(message, text=clip(text, most_chars) if len(text) > most_chars else text)
