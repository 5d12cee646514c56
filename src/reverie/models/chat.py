"""The Chat Completions protocol (OpenAI, Ollama, vLLM, llama.cpp): a prompt to a request, an answer to a `Reply`.

Pure functions. An answer without usage cannot be charged, so it counts as unreadable.
"""

import re
from collections.abc import Mapping

import msgspec

from reverie.errors import ModelRefused, UnreadableReply
from reverie.models.messages import Count
from reverie.ports import Prompt, Reply
from reverie.records import JSON

# OpenAI's own models take max_completion_tokens, which counts their reasoning too, and the newer ones refuse
# max_tokens. Other servers know max_tokens, and some would ignore the new word: then nothing would bound the output.
_OPENAI_MODEL = re.compile(r"(gpt-|o\d|chatgpt-)")


class _Said(msgspec.Struct):
    content: str | None = None
    refusal: str | None = None


class _Choice(msgspec.Struct):
    message: _Said
    finish_reason: str | None


class _InputDetails(msgspec.Struct):
    cached_tokens: Count | None = None
    cache_write_tokens: Count | None = None


class _Usage(msgspec.Struct):
    prompt_tokens: Count
    completion_tokens: Count
    prompt_tokens_details: _InputDetails | None = None


class _Completion(msgspec.Struct):
    model: str
    choices: list[_Choice]
    usage: _Usage


def url(base_url: str) -> str:
    """Where to post; the base names the version, as in http://host/v1."""
    return f"{base_url.rstrip('/')}/chat/completions"


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
    try:
        completion = msgspec.json.decode(body, type=_Completion)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise UnreadableReply(f"the answer is no chat completion: {error}") from None
    if len(completion.choices) != 1:
        raise UnreadableReply(f"asked for one choice, got {len(completion.choices)}")
    said, reason = completion.choices[0].message, completion.choices[0].finish_reason
    if reason == "content_filter" or said.refusal:
        raise ModelRefused("the model refused to answer (content filter or refusal)")
    if reason not in ("stop", "length"):
        raise UnreadableReply(f"the answer ended for a reason we do not know: {str(reason)[:40]!r}")
    usage, details = completion.usage, completion.usage.prompt_tokens_details or _InputDetails()
    # Here, unlike in Messages, the prompt's tokens include the cached ones.
    cached, written = details.cached_tokens or 0, details.cache_write_tokens or 0
    return Reply(
        text=said.content or "",
        model=completion.model,
        input_tokens=max(0, usage.prompt_tokens - cached - written),
        output_tokens=usage.completion_tokens,
        cache_read_tokens=cached,
        cache_write_tokens=written,
        end="limit" if reason == "length" else "done",
    )
