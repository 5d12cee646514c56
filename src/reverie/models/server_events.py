"""Server-sent events: the bytes of an answer as they come -> events, and what a wire makes of them while it listens.

A wire's `stream_reader` takes one event after the other and knows at any moment what was said so far. The two protocols
differ in their events; what they have in common is here.
"""

import codecs
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Protocol

from reverie.errors import ModelError, ModelRefused, ModelUnavailable
from reverie.records import JSON
from reverie.records.conversation_values import Said, ToolCall


@dataclass(frozen=True, slots=True)
class ServerEvent:
    name: str
    data: str


class StreamReader(Protocol):
    """An answer that is being heard."""

    is_over: bool

    def take(self, event: ServerEvent) -> str:
        """Take one event in; returns the words that came with it."""
        ...

    def said(self) -> Said:
        """The whole answer, once it is over; ModelUnavailable if it was cut off."""
        ...

    def so_far(self) -> Said:
        """Return the answer until now, for a caller that hung up."""
        ...


def events(pieces: Iterable[bytes]) -> Iterator[ServerEvent]:
    """The events in a stream, each as soon as it is whole. One that the stream cuts off is left out.

    >>> [event.data for event in events([b"data: a", b"b\\r\\n\\r\\n: hm\\n\\ndata: c\\ndata: d\\n\\ndata: e"])]
    ['ab', 'c\\nd']
    """
    name, data = "", list[str]()
    for line in _lines(pieces):
        if not line:
            if data:
                yield ServerEvent(name, "\n".join(data))
            name, data = "", []
            continue
        field_name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if field_name == "event":
            name = value
        elif field_name == "data":
            data.append(value)


def _lines(pieces: Iterable[bytes]) -> Iterator[str]:
    """Whole lines. They end with LF, CR LF or CR; a character may be cut by the end of a piece, and CR LF too."""
    decoder = codecs.getincrementaldecoder("utf-8-sig")("replace")
    rest, after_return = "", False
    for piece in pieces:
        text = decoder.decode(piece)
        if not text:
            continue
        ends_in_return = text.endswith("\r")
        text = text[1:] if after_return and text.startswith("\n") else text
        after_return = ends_in_return
        *whole, rest = (rest + text).replace("\r\n", "\n").replace("\r", "\n").split("\n")
        yield from whole


@dataclass(slots=True)
class CallBeingMade:
    """A tool call whose arguments come in pieces."""

    id: str = ""
    name: str = ""
    pieces: list[str] = field(default_factory=list)

    def is_whole(self) -> bool:
        return not isinstance(self.given(), str)

    def given(self) -> JSON:
        """The arguments; the text as it came if it is no JSON, so that the tool can say so."""
        text = "".join(self.pieces)
        try:
            given: JSON = json.loads(text) if text.strip() else {}
        except (ValueError, RecursionError):
            return text
        return given

    def call(self) -> ToolCall:
        return ToolCall(self.id, self.name, self.given())


# What a provider calls its own troubles; everything else that it complains of is about the request.
_ITS_OWN = (
    "overloaded",
    "api_error",
    "server_error",
    "rate_limit",
    "timeout",
    "internal",
    "unavailable",
    "insufficient",
)


def trouble(kind: str, message: str) -> ModelError:
    """The error that stands for an error event in the middle of an answer. What came before it may be billed."""
    told = " ".join(f"{kind} {message}".split())[:200]
    told = "".join(letter if letter.isprintable() else " " for letter in told)
    if not kind or any(word in kind for word in _ITS_OWN):
        return ModelUnavailable(f"the model's server broke off: {told}")
    return ModelRefused(f"the model's server broke off: {told}")


def cut_off() -> ModelError:
    return ModelUnavailable("the answer was cut off")
