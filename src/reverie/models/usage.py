"""The token counts of a server and our own -> the counts that are booked.

A server that reports under half of our own count is not believed: a broken gateway and a cheating one look alike, and
a ceiling that is kept by their figures is not kept. Our own count is an estimate from above, so a report that is a
little lower is the better figure. Input is counted in what was sent, output in the text that came, without what the
model thought to itself; each is judged on its own.
"""

from collections.abc import Iterator
from dataclasses import replace
from math import ceil
from typing import TypeVar

from reverie.language.tokens import count_tokens
from reverie.ports import Prompt, Reply
from reverie.records import JSON
from reverie.records.conversation_values import Request, Said

_CHARACTERS = 4  # of plain text in a token; most tokenizers need fewer tokens than that

_Counted = TypeVar("_Counted", Reply, Said)


def counted_reply(reply: Reply, prompt: Prompt) -> Reply:
    """The reply, with our own counts where the server reported under half of them.

    >>> prompt = Prompt("You read a conversation.", "Which port has staging?", max_output_tokens=100)
    >>> told = counted_reply(Reply("It is 8443.", "m", input_tokens=1, output_tokens=1), prompt)
    >>> told.input_tokens, told.output_tokens
    (12, 5)
    >>> counted_reply(Reply("It is 8443.", "m", input_tokens=9, output_tokens=4), prompt).input_tokens
    9
    """
    return _counted(reply, _tokens(prompt.system) + _tokens(prompt.user), _tokens(reply.text))


def counted_said(said: Said, request: Request) -> Said:
    """The same for an answer in a conversation, with its messages, calls and tools."""
    texts = [request.cached, request.system, request.tail]
    for message in request.messages:
        texts += [message.text, *(text for call in message.tool_calls for text in _texts(call.input))]
    for tool in request.tools:
        texts += [tool.name, tool.description, *_texts(dict(tool.input_schema))]
    answered = [said.text, *(text for call in said.tool_calls for text in (call.name, *_texts(call.input)))]
    return _counted(said, sum(map(_tokens, texts)), sum(map(_tokens, answered)))


def _counted(told: _Counted, input_tokens: int, output_tokens: int) -> _Counted:
    counted = told
    if 2 * (told.input_tokens + told.cache_read_tokens + told.cache_write_tokens) < input_tokens:
        counted = replace(counted, input_tokens=input_tokens, cache_read_tokens=0, cache_write_tokens=0)
    if 2 * told.output_tokens < output_tokens:
        counted = replace(counted, output_tokens=output_tokens)
    return counted


def _tokens(text: str) -> int:
    """By pieces; or by characters, where words are long, since a sum of money may not be estimated too low."""
    return max(count_tokens(text), ceil(len(" ".join(text.split())) / _CHARACTERS))


def _texts(value: JSON) -> Iterator[str]:
    """The texts in a value, without the signs and names around them: servers write those in their own, shorter way."""
    waiting = [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, str):
            yield item
        elif isinstance(item, dict):
            waiting += item.values()
        elif isinstance(item, list):
            waiting += item
