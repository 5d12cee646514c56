"""A segment that is over -> a summary with a title: distilled, summarised, embedded, in steps that each happen once.

Each step is noted when it is done. Whatever fails leaves the segment active, with the reason, and the next attempt
goes on where this one stopped.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from reverie.continuum.segments import is_over
from reverie.conversing import Message, Role, Segment, SegmentState
from reverie.language.tokens import count_tokens
from reverie.text import title_line

if TYPE_CHECKING:
    from reverie.memory import Memory

_TITLE_WORDS = 8
_LIGHT_TURNS, _LIGHT_TOKENS = 5, 1_500  # a short talk without tools
_DENSE_TURNS, _DENSE_TOKENS, _DENSE_TOOLS = 20, 8_000, 4  # a long one, or one with many kinds of work
_EXCERPT_CHARS = 400  # of a talk that is too short to be summarised: it is shown as it was


def collapse(memory: "Memory", segment: Segment) -> Segment:
    """Collapse a segment, or leave it as it is with the reason in `problem`. Doing it twice changes nothing."""
    if segment.state is SegmentState.COLLAPSED:
        return segment
    conversations = memory.engine.conversations
    messages = conversations.messages(segment.continuum_id, segment.id)
    steps: dict[str, Callable[[Segment], Segment]] = {
        "distilled": lambda one: _distilled(memory, one),
        "summarised": lambda one: _summarised(memory, one, messages),
        "embedded": lambda one: _embedded(memory, one),
    }
    try:
        for name, step in steps.items():
            if name not in segment.done:
                done = step(segment)
                segment = conversations.put_segment(replace(done, done=done.done | {name}), segment.version)
        over = replace(segment, state=SegmentState.COLLAPSED, collapsed_ms=memory.env.now_ms(), problem="")
        return conversations.put_segment(over, segment.version)
    except Exception as error:
        return conversations.put_segment(replace(segment, problem=f"{type(error).__name__}: {error}"[:500]))


def collapse_silent(memory: "Memory") -> int:
    """Collapse whatever has been silent for too long; says how many there were."""
    conversations, settings, now = memory.engine.conversations, memory.settings.continuum, memory.env.now_ms()
    over = [one for one in conversations.open_segments() if is_over(one, now, settings)]
    return sum(collapse(memory, one).state is SegmentState.COLLAPSED for one in over)


def _distilled(memory: "Memory", segment: Segment) -> Segment:
    """What was said last is learned from too. Where a steward runs, it does this."""
    if memory.engine.log.session(segment.id):
        memory.engine.log.close_turn(segment.id)
        memory.catch_up()
    return segment


def _summarised(memory: "Memory", segment: Segment, messages: Sequence[Message]) -> Segment:
    memory.compact(segment.id)
    summary = memory.summary(segment.id, "short") or excerpt(messages)  # what is short is told as it was
    return replace(segment, summary=summary, title=title_of(messages), complexity=complexity_of(segment, messages))


def _embedded(memory: "Memory", segment: Segment) -> Segment:
    memory.keep_up()
    return segment


def excerpt(messages: Sequence[Message]) -> str:
    """A talk that is too short to be summarised, as it was.

    >>> excerpt([Message(role=Role.USER, text="Hi"), Message(role=Role.ASSISTANT, text="Hello!")])
    'user: Hi; assistant: Hello!'
    """
    told = [f"{one.role.value}: {title_line(one.text)}" for one in messages if one.role is not Role.TOOL and one.text]
    return title_line("; ".join(told), _EXCERPT_CHARS)


def title_of(messages: Sequence[Message]) -> str:
    """What it was about, in at most eight words: what the person said first that says something.

    >>> said = [Message(role=Role.USER, text=text) for text in ("hi", "Why does the staging deploy fail?")]
    >>> title_of(said)
    'Why does the staging deploy fail?'
    """
    said = [title_line(one.text, 200) for one in messages if one.role is Role.USER and one.text.strip()]
    if not said:
        return "Nothing was said"
    telling = next((text for text in said if len(text.split()) > 2), said[0])
    words = telling.split()
    return " ".join(words[:_TITLE_WORDS]) + ("…" if len(words) > _TITLE_WORDS else "")


def complexity_of(segment: Segment, messages: Sequence[Message]) -> int:
    """From 1 (a few words) to 3 (a long piece of work): what its summary weighs when a session is loaded."""
    turns = len({one.turn for one in messages})
    tokens = sum(count_tokens(one.text) for one in messages)
    if turns > _DENSE_TURNS or tokens > _DENSE_TOKENS or len(segment.tools_used) >= _DENSE_TOOLS:
        return 3
    return 1 if turns <= _LIGHT_TURNS and tokens <= _LIGHT_TOKENS and not segment.tools_used else 2
