"""The Chat Completions protocol (OpenAI, Ollama, vLLM, llama.cpp): a prompt to a request, an answer to a `Reply`.

For conversations: a rendered body to a request, an answer (whole, or chunk by chunk) to what was `Said`. An answer
without usage cannot be charged, so it counts as unreadable; one that was heard as it came is handed on without counts,
because the person has read it already.
"""

import re
from collections.abc import Mapping
from typing import Literal

import msgspec

from reverie.errors import ModelRefused, UnreadableReply
from reverie.models.messages import Count
from reverie.models.server_events import CallBeingMade, ServerEvent, cut_off, trouble
from reverie.ports import Prompt, Reply
from reverie.records import JSON
from reverie.records.conversation_values import Said, ToolCall

# OpenAI's own models take max_completion_tokens, which counts their reasoning too, and the newer ones refuse
# max_tokens. Other servers know max_tokens, and some would ignore the new word: then nothing would bound the output.
_OPENAI_MODEL = re.compile(r"(gpt-|o\d|chatgpt-)")


class _Function(msgspec.Struct):
    name: str | None = None
    arguments: str | None = None


class _Call(msgspec.Struct):
    index: int | None = None
    id: str | None = None
    function: _Function = msgspec.field(default_factory=_Function)


class _Spoken(msgspec.Struct):
    """A whole message, or the next piece of one."""

    content: str | None = None
    refusal: str | None = None
    tool_calls: list[_Call] | None = None


class _Alternative(msgspec.Struct):
    message: _Spoken
    finish_reason: str | None


class _InputDetails(msgspec.Struct):
    cached_tokens: Count | None = None
    cache_write_tokens: Count | None = None


class _Usage(msgspec.Struct):
    prompt_tokens: Count
    completion_tokens: Count
    prompt_tokens_details: _InputDetails | None = None


class _Answer(msgspec.Struct):
    model: str
    choices: list[_Alternative]
    usage: _Usage


def url(base_url: str) -> str:
    """Return the address to post to; the base names the version, as in http://host/v1, and may be the whole address.

    >>> url("http://host/v1/"), url("http://host/v1/chat/completions?api-version=1")
    ('http://host/v1/chat/completions', 'http://host/v1/chat/completions?api-version=1')
    """
    base, mark, query = base_url.partition("?")
    return f"{base.rstrip('/').removesuffix('/chat/completions')}/chat/completions{mark}{query}"


def headers(key: str) -> dict[str, str]:
    known = {"content-type": "application/json"}
    return {**known, "authorization": f"Bearer {key}"} if key else known


def request(model: str, prompt: Prompt, extra: Mapping[str, JSON]) -> bytes:
    """The body of the request."""
    limit = "max_completion_tokens" if _OPENAI_MODEL.match(model) else "max_tokens"
    asked: dict[str, JSON] = {
        "model": model,
        limit: prompt.max_output_tokens,
        "messages": [{"role": "system", "content": prompt.system}, {"role": "user", "content": prompt.user}],
    }
    return msgspec.json.encode({**extra, **asked})


def read(body: bytes) -> Reply:
    """The reply in an answer of status 200; ModelRefused or UnreadableReply if there is none."""
    answer = _answer(body)
    said, reason = answer.choices[0].message, answer.choices[0].finish_reason
    if reason == "content_filter" or said.refusal:
        counted = Reply(text="", model=answer.model, end="done", **_counts(answer.usage))
        raise ModelRefused("the model refused to answer (content filter or refusal)", counted=counted)
    if reason not in ("stop", "length"):
        raise UnreadableReply(f"the answer ended for a reason we do not know: {str(reason)[:40]!r}")
    end: Literal["done", "limit"] = "limit" if reason == "length" else "done"
    return Reply(text=said.content or "", model=answer.model, end=end, **_counts(answer.usage))


def _answer(body: bytes) -> _Answer:
    """The answer that came whole, with its one choice."""
    try:
        answer = msgspec.json.decode(body, type=_Answer)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise UnreadableReply(f"the answer is not a chat completion: {error}") from None
    if len(answer.choices) != 1:
        raise UnreadableReply(f"asked for one choice, got {len(answer.choices)}")
    return answer


def _counts(usage: _Usage) -> dict[str, int]:
    """Here, unlike in Messages, the prompt's tokens include the cached ones."""
    details = usage.prompt_tokens_details or _InputDetails()
    read, written = details.cached_tokens or 0, details.cache_write_tokens or 0
    return {
        "input_tokens": max(0, usage.prompt_tokens - read - written),
        "output_tokens": usage.completion_tokens,
        "cache_read_tokens": read,
        "cache_write_tokens": written,
    }


# ---- conversations


class _Piece(msgspec.Struct):
    delta: _Spoken = msgspec.field(default_factory=_Spoken)
    finish_reason: str | None = None


class _Trouble(msgspec.Struct):
    message: str = ""
    type: str | None = None
    code: str | int | None = None


class _Chunk(msgspec.Struct):
    model: str = ""
    choices: list[_Piece] = []
    usage: _Usage | None = None
    error: _Trouble | None = None


def stream_request(body: Mapping[str, JSON], extra: Mapping[str, JSON]) -> dict[str, JSON]:
    """The body of a request whose answer comes as it is made, with its usage at the end."""
    asked: dict[str, JSON] = {**extra, **body, "stream": True, "stream_options": {"include_usage": True}}
    if _OPENAI_MODEL.match(str(asked["model"])):
        asked["max_completion_tokens"] = asked.pop("max_tokens")
    return asked


def read_said(body: bytes) -> Said:
    """Parse an answer of status 200 that came whole."""
    answer = _answer(body)
    hearing = ChatReader()
    hearing.hear(answer.model, answer.choices[0].message, answer.choices[0].finish_reason, answer.usage)
    return hearing.said()


class ChatReader:
    """An answer as it comes, in chunks of the Chat Completions protocol."""

    def __init__(self) -> None:
        self.is_over = False
        self._model = ""
        self._words: list[str] = []
        self._calls: list[CallBeingMade] = []
        self._places: dict[int | str, CallBeingMade] = {}
        self._counts: dict[str, int] = {}
        self._finish_reason: str | None = None
        self._has_refused = False

    def take(self, event: ServerEvent) -> str:
        if event.data.strip() == "[DONE]":
            self.is_over = True
            return ""
        try:
            chunk = msgspec.json.decode(event.data, type=_Chunk)
        except (msgspec.DecodeError, RecursionError) as error:
            raise UnreadableReply(f"a chunk of the answer is none: {error}") from None
        if chunk.error is not None:
            raise trouble(chunk.error.type or str(chunk.error.code or ""), chunk.error.message)
        piece = chunk.choices[0] if chunk.choices else _Piece()
        return self.hear(chunk.model, piece.delta, piece.finish_reason, chunk.usage)

    def hear(self, model: str, piece: _Spoken, finish_reason: str | None, usage: _Usage | None) -> str:
        """Take in the next piece of the message, or all of it."""
        self._model = model or self._model
        self._finish_reason = finish_reason or self._finish_reason
        self._has_refused = self._has_refused or bool(piece.refusal)
        if usage is not None:
            self._counts = _counts(usage)
        for call in piece.tool_calls or []:
            self._add(call)
        words = piece.content or ""
        self._words.append(words)
        return words

    def said(self) -> Said:
        """Not every server says [DONE] at the end; a reason to end is as good."""
        if self._finish_reason == "content_filter" or self._has_refused:
            raise ModelRefused("the model refused to answer (content filter or refusal)")
        if self._finish_reason is None:
            raise cut_off()
        if self._finish_reason not in ("stop", "length", "tool_calls", "function_call"):
            raise UnreadableReply(f"the answer ended for a reason we do not know: {self._finish_reason[:40]!r}")
        if self._finish_reason == "length":
            # A call that the limit cut in two cannot be made.
            return self._told(tuple(it.call() for it in self._calls if it.is_whole()), "limit")
        return self._told(tuple(it.call() for it in self._calls), "tools" if self._calls else "done")

    def so_far(self) -> Said:
        return self._told((), "cancelled")

    def _told(self, calls: tuple[ToolCall, ...], end: Literal["done", "tools", "limit", "cancelled"]) -> Said:
        return Said(text="".join(self._words), model=self._model, tool_calls=calls, end=end, **self._counts)

    def _add(self, call: _Call) -> None:
        """Pieces of one call share its index. Servers without one send each call whole, or name it by its id."""
        key = call.index if call.index is not None else call.id or ""
        known = self._places.get(key) if key != "" else (self._calls[-1] if self._calls else None)
        if known is None or (call.function.name and call.id and known.id and call.id != known.id):
            known = self._places[key] = CallBeingMade()
            self._calls.append(known)
        known.id = known.id or call.id or ""
        known.name = known.name or call.function.name or ""
        known.pieces.append(call.function.arguments or "")


def stream_reader() -> ChatReader:
    """Return a reader for one streamed answer."""
    return ChatReader()
