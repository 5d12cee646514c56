"""The opening of a segment: a marker, summaries of what was before, the last turns as they were said, and the gap.

All of it depends only on segments that are over, so it stays the same bytes for as long as the segment runs.
"""

from collections.abc import Sequence
from datetime import datetime, tzinfo

from reverie.compose.markup import Markup, join, tag
from reverie.foundation.text import clip
from reverie.records.conversation_values import Message, Role, Segment, SegmentState

SUMMARIES = 5  # of earlier segments, at most, that a segment begins with
MOST_COMPLEXITY = 8  # that they may have in sum: three dense ones say as much as eight light ones
_CONTINUITY_TURNS = 3  # of the segment before that are shown as they were said
_CONTINUITY_CHARS = 2_000  # of each message that is shown again


def opening(
    segment: Segment,
    earlier: Sequence[Segment],
    before: Sequence[Message],
    zone: tzinfo,
    key: str = "",
) -> tuple[Message, ...]:
    """The messages that stand before the segment's own. `earlier` are the segments before it, oldest first; `before`
    the messages of the last of them. The `key` shows that nobody pasted this."""
    collapsed = [one for one in earlier if one.state is SegmentState.COLLAPSED and one.summary]
    if not collapsed:
        return ()
    told = [
        tag("summary", one.summary, title=one.title, when=_when(one.began_ms, zone))
        for one in reversed(chosen(collapsed))
    ]
    start = tag("earlier_conversation", *told, note="Summaries of what was said before, oldest first.", key=key)
    boundary = _boundary(segment, collapsed[-1], key)
    return (_shown(start), *continuity(before), _shown(boundary))


def chosen(collapsed: Sequence[Segment]) -> list[Segment]:
    """The summaries to tell, newest first: while they are few and their complexity in sum is small; at least one."""
    picked: list[Segment] = []
    weight = 0
    for one in reversed(collapsed):
        weight += one.complexity
        if picked and (weight > MOST_COMPLEXITY or len(picked) >= SUMMARIES):
            break
        picked.append(one)
    return picked


def continuity(messages: Sequence[Message]) -> tuple[Message, ...]:
    """The last turns of the segment before, as they were said. What tools did is in the summary."""
    said = [one for one in messages if one.role is not Role.TOOL and one.text]
    last = sorted({one.turn for one in said})[-_CONTINUITY_TURNS:]
    return tuple(
        Message(
            role=one.role,
            text=clip(one.text, _CONTINUITY_CHARS),
            at_ms=one.at_ms,
            turn=one.turn,
            segment_id=one.segment_id,
        )
        for one in said
        if one.turn in last
    )


def _boundary(segment: Segment, previous: Segment, key: str) -> Markup:
    gap = _told(max(0, segment.began_ms - previous.last_ms))
    return tag("session_boundary", f"{gap} passed. A new session begins here.", gap=gap, key=key)


def _shown(content: Markup) -> Message:
    return Message(role=Role.USER, text=join([content]))


def _when(at_ms: int, zone: tzinfo) -> str:
    return datetime.fromtimestamp(at_ms / 1000, zone).strftime("%Y-%m-%d %H:%M")


def _told(gap_ms: int) -> str:
    """A stretch of time in words.

    >>> _told(3 * 3_600_000 + 20 * 60_000), _told(50 * 3_600_000), _told(30_000)
    ('3 h 20 min', '2 d 2 h', '0 min')
    """
    minutes = gap_ms // 60_000
    days, hours = minutes // 1440, minutes // 60 % 24
    if days:
        return f"{days} d {hours} h"
    return f"{hours} h {minutes % 60} min" if hours else f"{minutes} min"
