"""A segment that is over -> a summary with a title: distilled, summarised, embedded, in steps that each happen once.

Each step is noted when it is done. Whatever fails leaves the segment active, with the reason, and the next attempt
goes on where this one stopped.
"""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace

from reverie.continuum.conversation_lock import conversation_lock
from reverie.continuum.dependencies import UserParts
from reverie.continuum.erase_sections import clear_sections
from reverie.continuum.message_log import said_in
from reverie.continuum.segments import is_over
from reverie.continuum.toolset import documents_tool
from reverie.errors import StaleVersion, StoreBusy
from reverie.foundation.text import title_line
from reverie.language.tokens import count_tokens
from reverie.records.conversation_values import Message, Role, Segment, SegmentState

_STEPS = frozenset({"distilled", "summarised", "embedded"})
_ATTEMPTS = 3  # while others forget something in the segment
_TITLE_WORDS = 8
_LIGHT_TURNS, _LIGHT_TOKENS = 5, 1_500  # a short talk without tools
_DENSE_TURNS, _DENSE_TOKENS, _DENSE_TOOLS = 20, 8_000, 4  # a long one, or one with many kinds of work
_EXCERPT_CHARS = 400  # of a talk that is too short to be summarised: it is shown as it was


def collapse(parts: UserParts, segment: Segment) -> Segment:
    """Collapse a segment, or leave it as it is with the reason in `problem`. Doing it twice changes nothing."""
    if segment.state is SegmentState.COLLAPSED:
        return segment
    for _ in range(_ATTEMPTS):
        try:
            return _collapsed(parts, segment)
        except StaleVersion:
            fresh = parts.store.engine.conversations.segment(segment.id)
            if fresh is None or (fresh.last_turn, fresh.state) != (segment.last_turn, segment.state):
                return fresh or segment  # somebody has spoken in it, or was first
            segment = fresh  # something in it was forgotten, and must not be told: look again
        except Exception as error:
            return _failed(parts, segment, error)
    return _failed(parts, segment, StaleVersion("it changed whenever it was summarised; it is tried again later"))


def _collapsed(parts: UserParts, segment: Segment) -> Segment:
    conversations = parts.store.engine.conversations
    messages = said_in(parts.store, segment)
    steps: dict[str, Callable[[Segment], Segment]] = {
        "distilled": lambda one: _distilled(parts, one),
        "summarised": lambda one: _summarised(parts, one, messages),
        "embedded": lambda one: _embedded(parts, one),
    }
    for name, step in steps.items():
        if name not in segment.done:
            done = step(segment)
            segment = conversations.put_segment(replace(done, done=done.done | {name}), segment.version)
    over = replace(segment, state=SegmentState.COLLAPSED, collapsed_ms=parts.store.env.now_ms(), problem="")
    over = conversations.put_segment(over, segment.version)
    clear_sections(parts.store, segment.continuum_id)
    return over


def _failed(parts: UserParts, segment: Segment, error: Exception) -> Segment:
    """Note what went wrong on the segment as it is now: what we knew of it may have been forgotten since."""
    conversations = parts.store.engine.conversations
    with parts.store.engine.write():
        now = conversations.segment(segment.id) or segment
        return conversations.put_segment(replace(now, problem=f"{type(error).__name__}: {error}"[:500]))


def tell_again(parts: UserParts) -> int:
    """Give collapsed segments a new title and summary, of which something was forgotten; says how many there were.

    Without asking a model: memory has summarised what is left already, when it derived itself anew.
    """
    conversations = parts.store.engine.conversations
    untold = [one for one in conversations.all_segments() if one.state is SegmentState.COLLAPSED and not one.done]
    for segment in untold:
        messages = said_in(parts.store, segment)
        told = _told(parts, segment, messages) if messages else segment
        with suppress(StaleVersion):  # something else was forgotten meanwhile, by somebody who tells it again
            conversations.put_segment(replace(told, done=_STEPS), segment.version)
    return len(untold)


def collapse_silent(parts: UserParts) -> int:
    """Collapse whatever has been silent for too long; says how many there were."""
    tell_again(parts)
    conversations, settings, now = (
        parts.store.engine.conversations,
        parts.store.settings.continuum,
        parts.store.env.now_ms(),
    )
    count = 0
    for segment in [one for one in conversations.open_segments() if is_over(one, now, settings)]:
        with (
            suppress(StoreBusy),
            conversation_lock(parts.store, segment.continuum_id, 0),
        ):  # who talks in it collapses it themselves
            current = conversations.segment(segment.id) or segment
            if is_over(current, now, settings):
                count += collapse(parts, current).state is SegmentState.COLLAPSED
    if count:
        documents_tool(parts.store, "user").to_defaults()
    return count


def _distilled(parts: UserParts, segment: Segment) -> Segment:
    """Close and distil the last turn, so that it is learned from, too. Where a steward runs, it does this."""
    if parts.store.engine.log.session(segment.id):
        parts.store.engine.log.close_turn(segment.id)
        parts.background.catch_up()
    return segment


def _summarised(parts: UserParts, segment: Segment, messages: Sequence[Message]) -> Segment:
    parts.maintenance.compact(segment.id)
    return _told(parts, segment, messages)


def _told(parts: UserParts, segment: Segment, messages: Sequence[Message]) -> Segment:
    summary = parts.maintenance.summary(segment.id, "short") or excerpt(messages)  # what is short is told as it was
    return replace(segment, summary=summary, title=title_of(messages), complexity=complexity_of(segment, messages))


def _embedded(parts: UserParts, segment: Segment) -> Segment:
    parts.maintenance.refresh_index()
    return segment


def excerpt(messages: Sequence[Message]) -> str:
    """A talk that is too short to be summarised, as it was.

    >>> excerpt([Message(role=Role.USER, text="Hi"), Message(role=Role.ASSISTANT, text="Hello!")])
    'user: Hi; assistant: Hello!'
    """
    told = [f"{one.role.value}: {title_line(one.text)}" for one in messages if one.role is not Role.TOOL and one.text]
    return title_line("; ".join(told), _EXCERPT_CHARS)


def title_of(messages: Sequence[Message]) -> str:
    """Name a segment in at most eight words: the first message of the person that says something.

    >>> said = [Message(role=Role.USER, text=text) for text in ("hi", "Why does the staging deploy fail?")]
    >>> title_of(said)
    'Why does the staging deploy fail?'
    """
    spoken = [one for one in messages if one.role is not Role.TOOL and one.text.strip()]
    said = [title_line(one.text, 200) for one in spoken if one.role is Role.USER]
    said = said or [title_line(one.text, 200) for one in spoken]  # what the person said may have been forgotten
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
