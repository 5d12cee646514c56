"""The Messages protocol (Anthropic): a prompt to a request, the bytes of an answer to a `Reply`.

For conversations: a rendered body to a request, an answer (whole, or event by event) to what was `Said`.
Sampling parameters are not sent: newer models refuse them.
"""

from collections.abc import Mapping
from typing import Annotated, Any, Literal

import msgspec

from reverie.errors import ModelError, ModelRefused, UnreadableReply
from reverie.models.server_events import CallBeingMade, ServerEvent, cut_off, trouble
from reverie.ports import Prompt, Reply
from reverie.records import JSON
from reverie.records.conversation_values import Said, ToolCall

_VERSION = "2023-06-01"
_DONE = {"end_turn", "stop_sequence"}
_LIMIT = {"max_tokens", "model_context_window_exceeded"}

# A count of tokens. The upper bound keeps an absurd number from becoming an absurd sum of money.
Count = Annotated[int, msgspec.Meta(ge=0, le=100_000_000)]


class _Spoken(msgspec.Struct):
    """A block: text, or a call of a tool. Thinking blocks have neither, and are not for us."""

    type: str
    text: str = ""
    id: str = ""
    name: str = ""
    input: Any = None


class _Usage(msgspec.Struct):
    input_tokens: Count
    output_tokens: Count
    cache_creation_input_tokens: Count | None = None
    cache_read_input_tokens: Count | None = None


class _Answer(msgspec.Struct):
    model: str
    content: list[_Spoken]
    stop_reason: str | None
    usage: _Usage


def url(base_url: str) -> str:
    """Return the address to post to. A base that names the version, or the whole address, is taken as it is.

    >>> url("http://127.0.0.1:9/v1/")
    'http://127.0.0.1:9/v1/messages'
    >>> url("http://gateway/anthropic?team=a")
    'http://gateway/anthropic/v1/messages?team=a'
    """
    base, mark, query = base_url.partition("?")
    base = base.rstrip("/").removesuffix("/messages")
    return (f"{base}/messages" if base.endswith("/v1") else f"{base}/v1/messages") + mark + query


def headers(key: str) -> dict[str, str]:
    known = {"content-type": "application/json", "anthropic-version": _VERSION}
    return {**known, "x-api-key": key} if key else known


def request(model: str, prompt: Prompt, extra: Mapping[str, JSON]) -> bytes:
    """The body of the request."""
    asked: dict[str, JSON] = {
        "model": model,
        "max_tokens": prompt.max_output_tokens,
        "system": prompt.system,
        "messages": [{"role": "user", "content": prompt.user}],
    }
    return msgspec.json.encode({**extra, **asked})


def read(body: bytes) -> Reply:
    """The reply in an answer of status 200; ModelRefused or UnreadableReply if there is none."""
    answer = _answer(body)
    reason = answer.stop_reason
    if reason == "refusal":
        counted = Reply(text="", model=answer.model, end="done", **_counts(answer.usage))
        raise ModelRefused("the model refused to answer (stop_reason refusal)", counted=counted)
    if reason not in _DONE | _LIMIT:
        raise UnreadableReply(f"the answer ended for a reason we do not know: {str(reason)[:40]!r}")
    end: Literal["done", "limit"] = "limit" if reason in _LIMIT else "done"
    return Reply(text=_words(answer), model=answer.model, end=end, **_counts(answer.usage))


def _answer(body: bytes) -> _Answer:
    """The answer that came whole."""
    try:
        return msgspec.json.decode(body, type=_Answer)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise UnreadableReply(f"the answer is not a message: {error}") from None


def _words(answer: _Answer) -> str:
    return "".join(block.text for block in answer.content if block.type == "text")


# ---- conversations


class _Started(msgspec.Struct):
    model: str
    usage: _Usage | None = None


class _Delta(msgspec.Struct):
    type: str = ""
    text: str = ""
    partial_json: str = ""
    stop_reason: str | None = None


class _Counted(msgspec.Struct):
    """Usage at the end of a stream: what it repeats of the beginning counts, what it leaves out does not."""

    input_tokens: Count | None = None
    output_tokens: Count | None = None
    cache_creation_input_tokens: Count | None = None
    cache_read_input_tokens: Count | None = None


class _Trouble(msgspec.Struct):
    type: str = ""
    message: str = ""


class _Event(msgspec.Struct):
    type: str
    message: _Started | None = None
    index: int = 0
    content_block: _Spoken | None = None
    delta: _Delta | None = None
    usage: _Counted | None = None
    error: _Trouble | None = None


def stream_request(body: Mapping[str, JSON], extra: Mapping[str, JSON]) -> dict[str, JSON]:
    """The body of a request whose answer comes as it is made."""
    return {**extra, **body, "stream": True}


def read_said(body: bytes) -> Said:
    """Parse an answer of status 200 that came whole."""
    answer = _answer(body)
    calls = tuple(ToolCall(it.id, it.name, it.input) for it in answer.content if it.type == "tool_use")
    end = _end(answer.stop_reason, has_calls=bool(calls))
    return Said(text=_words(answer), model=answer.model, tool_calls=calls, end=end, **_counts(answer.usage))


class MessagesReader:
    """An answer as it comes, in the events of the Messages protocol."""

    def __init__(self) -> None:
        self.is_over = False
        self._model = ""
        self._words: list[str] = []
        self._calls: dict[int, CallBeingMade] = {}
        self._counts: dict[str, int] = {}
        self._stop_reason: str | None = None

    def take(self, event: ServerEvent) -> str:
        try:
            heard = msgspec.json.decode(event.data, type=_Event)
        except (msgspec.DecodeError, RecursionError) as error:
            raise UnreadableReply(f"an event of the answer is none: {error}") from None
        match heard.type:
            case "error":
                raise _trouble(heard.error)
            case "message_start" if heard.message is not None:
                self._model = heard.message.model
                self._count(heard.message.usage)
            case "content_block_start" if heard.content_block is not None:
                return self._begin(heard.index, heard.content_block)
            case "content_block_delta" if heard.delta is not None:
                return self._go_on(heard.index, heard.delta)
            case "message_delta":
                self._stop_reason = heard.delta.stop_reason if heard.delta else None
                self._count(heard.usage)
            case "message_stop":
                self.is_over = True
        return ""  # pings, the ends of blocks, and what later versions add

    def said(self) -> Said:
        if not self.is_over:
            raise cut_off()
        end = _end(self._stop_reason, has_calls=bool(self._calls))
        # A call that the limit cut in two cannot be made.
        calls = [it for it in self._calls.values() if end != "limit" or it.is_whole()]
        return self._told(tuple(it.call() for it in calls), end)

    def so_far(self) -> Said:
        return self._told((), "cancelled")

    def _told(self, calls: tuple[ToolCall, ...], end: Literal["done", "tools", "limit", "cancelled"]) -> Said:
        return Said(text="".join(self._words), model=self._model, tool_calls=calls, end=end, **self._counts)

    def _begin(self, index: int, block: _Spoken) -> str:
        if block.type == "tool_use":
            self._calls[index] = CallBeingMade(block.id, block.name)
        if block.type != "text":
            return ""
        self._words.append(block.text)
        return block.text

    def _go_on(self, index: int, delta: _Delta) -> str:
        if delta.type == "input_json_delta" and index in self._calls:
            self._calls[index].pieces.append(delta.partial_json)
        if delta.type != "text_delta":
            return ""
        self._words.append(delta.text)
        return delta.text

    def _count(self, usage: _Usage | _Counted | None) -> None:
        if usage is not None:
            self._counts |= _counts(usage)


def stream_reader() -> MessagesReader:
    """Return a reader for one streamed answer."""
    return MessagesReader()


def _counts(usage: _Usage | _Counted) -> dict[str, int]:
    """Return the counts that it reports. A missing one is not 0, or the end of a stream would undo its beginning."""
    told = {
        "input_tokens": usage.input_tokens,
        "output_tokens": usage.output_tokens,
        "cache_read_tokens": usage.cache_read_input_tokens,
        "cache_write_tokens": usage.cache_creation_input_tokens,
    }
    return {name: count for name, count in told.items() if count is not None}


def _trouble(error: _Trouble | None) -> ModelError:
    return trouble(error.type, error.message) if error else trouble("", "")


def _end(reason: str | None, *, has_calls: bool) -> Literal["done", "tools", "limit"]:
    if reason == "refusal":
        raise ModelRefused("the model refused to answer (stop_reason refusal)")
    if reason in _LIMIT:
        return "limit"
    if reason == "tool_use" and has_calls:
        return "tools"
    if reason in _DONE:
        return "tools" if has_calls else "done"
    raise UnreadableReply(f"the answer ended for a reason we do not know: {str(reason)[:40]!r}")
