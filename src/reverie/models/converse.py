"""Conversing over HTTP: a `Request` in, what the model `Said` out, its words handed on as they come.

Rendering the request is left to `window`, whose functions are handed in; retrying and money are left to others. Errors
are those of `remote`: each says whether asking again may help and whether the call was surely free. The key is in no
message, no repr and no log.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Protocol

from reverie.errors import ExchangeCancelled
from reverie.models.remote import Headers, RemoteModel, connect, failure, is_secret, name_to_show, without_key
from reverie.models.server_events import ServerEvent, StreamReader, events
from reverie.ports import Env, HttpRequest, HttpResponse, HttpStream
from reverie.records import JSON
from reverie.records.conversation_values import Request, Said, ToolCall
from reverie.settings import ModelSettings

# How long an answer can be: a stream repeats a frame of some hundred bytes for every token, and has a head.
_BYTES_PER_TOKEN = 600
_HEAD_BYTES = 100_000

# How an event stream can begin, for servers that send one and call it something else.
_EVENT_STARTS = (b"event:", b"data:", b":", b"id:", b"retry:")

Render = Callable[[Request, str], Mapping[str, JSON]]


class HttpStreaming(Protocol):
    def __call__(
        self, request: HttpRequest, is_cancelled: Callable[[], bool]
    ) -> AbstractContextManager[HttpStream]: ...


@dataclass(frozen=True, slots=True)
class RemoteConverser:
    """A model that one converses with over HTTP."""

    model: RemoteModel
    render: Render = field(repr=False)
    http_stream: HttpStreaming = field(repr=False)

    @property
    def name(self) -> str:
        return self.model.name

    def converse(
        self,
        request: Request,
        on_text: Callable[[str], None] = lambda _: None,
        is_cancelled: Callable[[], bool] = lambda: False,
    ) -> Said:
        """One answer, in one exchange."""
        asked = self._asked(request)
        hearing: StreamReader = self.model.wire.stream_reader()
        try:
            with self.http_stream(asked, is_cancelled) as answer:
                said = self._heard(answer, hearing, on_text, is_cancelled)
        except ExchangeCancelled:
            said = hearing.so_far()
        return _tidy(said, self.name, len(request.messages))

    def _asked(self, request: Request) -> HttpRequest:
        wire, model = self.model.wire, self.model
        body = wire.stream_request(self.render(request, model.name), model.extras)
        return HttpRequest(
            method="POST",
            url=wire.url(model.base_url),
            headers=Headers(wire.headers(model.key)),
            # A lone surrogate, which no wire can carry, becomes a question mark.
            body=json.dumps(body, ensure_ascii=False).encode("utf-8", "replace"),
            timeout_seconds=model.timeout_seconds,
            max_bytes=_HEAD_BYTES + _BYTES_PER_TOKEN * request.max_output_tokens,
        )

    def _heard(
        self,
        answer: HttpStream,
        hearing: StreamReader,
        on_text: Callable[[str], None],
        is_cancelled: Callable[[], bool],
    ) -> Said:
        if not 200 <= answer.status < 300:
            response = HttpResponse(answer.status, answer.headers, b"".join(answer.pieces))
            raise failure(response, self.model.key)
        is_stream, pieces = _is_stream(answer)
        if not is_stream:
            said: Said = self.model.wire.read_said(without_key(b"".join(pieces), self.model.key))
            if said.text:
                on_text(said.text)
            return said
        for event in events(pieces):
            event = _without(self.model.key, event)
            if words := hearing.take(event):
                on_text(words)
            if hearing.is_over:
                break
            if is_cancelled():
                return hearing.so_far()
        return hearing.said()


def connect_converser(settings: ModelSettings, env: Env, renderers: Mapping[str, Render]) -> RemoteConverser | None:
    """The model that the settings name, to converse with; None if they name none. No network is touched.

    `renderers` are `window.render.RENDERERS`: how a request is written for each provider.
    """
    model = connect(settings, env)
    if model is None:
        return None
    return RemoteConverser(model, renderers[settings.provider], env.http_stream)


def _without(key: str, event: ServerEvent) -> ServerEvent:
    """Some servers echo what they were sent when they complain."""
    return replace(event, data=event.data.replace(key, "[key]")) if is_secret(key) and key in event.data else event


def _is_stream(answer: HttpStream) -> tuple[bool, Iterator[bytes]]:
    """Whether the answer is a stream of events; a server that knows no streaming answers with one whole message."""
    if "text/event-stream" in answer.headers.get("content-type", ""):
        return True, answer.pieces
    start = b""
    for piece in answer.pieces:
        start += piece
        if len(start.lstrip()) >= max(map(len, _EVENT_STARTS)):
            break
    return start.lstrip().startswith(_EVENT_STARTS), chain([start], answer.pieces)


def _tidy(said: Said, name: str, place: int) -> Said:
    """With a name that can be shown, and with an id for every call: some servers give none.

    `place` is where the answer will stand in the conversation, so that such an id is unique there.
    """
    calls = tuple(
        call if call.id else ToolCall(f"call_{place}_{number}", call.name, call.input)
        for number, call in enumerate(said.tool_calls)
    )
    return replace(said, tool_calls=calls, model=name_to_show(said.model, name))
