"""The conversation so far as a list of its segments, by day: enough to know that something was talked about."""

from collections.abc import Iterable
from datetime import datetime, tzinfo
from itertools import groupby

from reverie.compose.markup import Markup, Origin, tag
from reverie.compose.trinket import EventAwareTrinket, TrinketContext, TrinketHost
from reverie.compose.trinkets.bounds import line
from reverie.events import EventBus
from reverie.records.conversation_values import Segment, SegmentState

TITLE_CHARS = 60
MANIFEST_SEGMENTS = 30  # of the conversation that are listed; older ones are found by search


class ManifestTrinket(EventAwareTrinket):
    """Lists segments. It stands in the cached prefix, so it changes only when a segment begins or collapses: of the
    active one it tells when it began, never how far it has come."""

    cache_policy = True
    reads = ("segments",)

    def __init__(self, event_bus: EventBus, working_memory: TrinketHost) -> None:
        super().__init__(event_bus, working_memory)

    def _get_variable_name(self) -> str:
        return "conversation_manifest"

    def generate_content(self, context: TrinketContext) -> Markup:
        segments = sorted(context.inputs.segments, key=lambda it: it.began_ms)
        shown = segments[max(0, len(segments) - MANIFEST_SEGMENTS) :]
        if not shown:
            return Markup()
        zone = context.now.tzinfo
        days = groupby(shown, key=lambda it: _local(it.began_ms, zone).date())
        parts = [_day(f"{day:%A %d %B %Y}", list(its), zone) for day, its in days]
        if len(shown) < len(segments):
            parts.insert(0, Markup(f"[… {len(segments) - len(shown):,} earlier; search finds what was said]"))
        return tag("conversation_manifest", *parts)


def _day(name: str, segments: Iterable[Segment], zone: tzinfo | None) -> Markup:
    return tag("day", *[_segment(it, zone) for it in segments], date=name)


def _segment(segment: Segment, zone: tzinfo | None) -> Markup:
    origin = Origin(0, "segment", segment.id, f"a {segment.state} segment of this conversation")
    began = _local(segment.began_ms, zone)
    if segment.state is not SegmentState.COLLAPSED:
        return tag("segment", f"since {began:%H:%M}", state=segment.state.upper(), origin=origin)
    ended = _local(segment.last_ms, zone)
    until = f"{ended:%H:%M}" if ended.date() == began.date() else f"{ended:%d %B %H:%M}"
    title = line(segment.title, TITLE_CHARS) or "untitled"
    return tag("segment", title, time=f"{began:%H:%M}–{until}", origin=origin)


def _local(at_ms: int, zone: tzinfo | None) -> datetime:
    return datetime.fromtimestamp(at_ms / 1000, zone)
