"""The Messages protocol (Anthropic): a prompt to a request, the bytes of an answer to a `Reply`.

Pure functions. Sampling parameters are not sent: newer models refuse them.
"""

from collections.abc import Mapping
from typing import Annotated

import msgspec

from reverie.errors import ModelRefused, UnreadableReply
from reverie.ports import Prompt, Reply
from reverie.records import JSON

_VERSION = "2023-06-01"
_DONE = {"end_turn", "stop_sequence"}
_LIMIT = {"max_tokens", "model_context_window_exceeded"}

# A count of tokens. The upper bound keeps an absurd number from becoming an absurd sum of money.
Count = Annotated[int, msgspec.Meta(ge=0, le=100_000_000)]


class _Block(msgspec.Struct):
    type: str
    text: str = ""  # of text blocks; thinking blocks have none, and are not for us


class _Usage(msgspec.Struct):
    input_tokens: Count
    output_tokens: Count
    cache_creation_input_tokens: Count | None = None
    cache_read_input_tokens: Count | None = None


class _Message(msgspec.Struct):
    model: str
    content: list[_Block]
    stop_reason: str | None
    usage: _Usage


def url(base_url: str) -> str:
    """Where to post. A base that already names the version is taken as it is.

    >>> url("http://127.0.0.1:9/v1/")
    'http://127.0.0.1:9/v1/messages'
    """
    base = base_url.rstrip("/")
    return f"{base}/messages" if base.endswith("/v1") else f"{base}/v1/messages"


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
    try:
        message = msgspec.json.decode(body, type=_Message)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise UnreadableReply(f"the answer is no message: {error}") from None
    reason = message.stop_reason
    if reason == "refusal":
        raise ModelRefused("the model refused to answer (stop_reason refusal)")
    if reason not in _DONE | _LIMIT:
        raise UnreadableReply(f"the answer ended for a reason we do not know: {str(reason)[:40]!r}")
    return Reply(
        text="".join(block.text for block in message.content if block.type == "text"),
        model=message.model,
        input_tokens=message.usage.input_tokens,
        output_tokens=message.usage.output_tokens,
        cache_read_tokens=message.usage.cache_read_input_tokens or 0,
        cache_write_tokens=message.usage.cache_creation_input_tokens or 0,
        end="limit" if reason in _LIMIT else "done",
    )
