"""Segments of one conversation: begin one, go on in it, pause it, and know when its silence was long enough.

A segment's id is the session of its observations, so that everything memory knows of sessions holds for segments.
"""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace

from reverie.errors import StaleVersion
from reverie.records.conversation_values import Conversations, Segment, SegmentState
from reverie.settings import ContinuumSettings


class Segments:
    def __init__(
        self,
        conversations: Conversations,
        continuum_id: str,
        settings: ContinuumSettings,
        new_id: Callable[[int], str],
    ) -> None:
        self._conversations = conversations
        self._continuum_id = continuum_id
        self._settings = settings
        self._new_id = new_id

    def open(self) -> Segment | None:
        """The segment that the conversation is in, active or paused."""
        mine = [one for one in self._conversations.open_segments() if one.continuum_id == self._continuum_id]
        return mine[-1] if mine else None

    def begin(self, now_ms: int) -> Segment:
        """A new segment, active from now on."""
        turn = self._conversations.last_turn(self._continuum_id)
        return self._conversations.put_segment(
            Segment(
                id=f"{self._continuum_id}-{self._new_id(now_ms)}",
                continuum_id=self._continuum_id,
                state=SegmentState.ACTIVE,
                began_ms=now_ms,
                last_ms=now_ms,
                first_turn=turn + 1,
                last_turn=turn,
            )
        )

    def continued(self, segment: Segment, now_ms: int, turn: int, tools: Sequence[str] = ()) -> Segment:
        """The segment after another turn. Whoever speaks in a paused one resumes it; one that has collapsed stays so.

        A collapse that had begun starts over: what was summarised is no longer the whole.
        """
        return self._changed(
            segment,
            lambda current: replace(
                current,
                state=SegmentState.ACTIVE,
                last_ms=now_ms,
                last_turn=max(turn, current.last_turn),
                tools_used=tuple(dict.fromkeys((*current.tools_used, *tools))),
                done=frozenset(),
            ),
        )

    def _changed(self, segment: Segment, change: Callable[[Segment], Segment]) -> Segment:
        """Change a segment as it is now, unless it has collapsed: others may forget something in it meanwhile."""
        while True:
            current = self._conversations.segment(segment.id) or segment
            if current.state is SegmentState.COLLAPSED:
                return current
            with suppress(StaleVersion):
                return self._conversations.put_segment(change(current), current.version)

    def pause(self, segment: Segment) -> Segment:
        """Nobody is away for too long in a paused segment: it does not time out."""
        return self._changed(segment, lambda current: replace(current, state=SegmentState.PAUSED))

    def is_over(self, segment: Segment, now_ms: int) -> bool:
        return is_over(segment, now_ms, self._settings)

    def recent(self, limit: int) -> list[Segment]:
        return self._conversations.segments(self._continuum_id, limit)


def is_over(segment: Segment, now_ms: int, settings: ContinuumSettings) -> bool:
    """Whether a segment's silence has lasted. A clock that was set back makes nothing older."""
    silent_ms = now_ms - segment.last_ms
    return segment.state is SegmentState.ACTIVE and silent_ms > settings.segment_minutes * 60_000
