"""Records of several spool files -> one stream, in which each session's events stand as its hooks stamped them.

A hook writes into its record which boot of the machine it ran in and the time of the monotonic clock, which nobody can
set. Shared files, to which hooks append one after the other, are read as they are; the record of an own file is put
before the first that was stamped later. Two boots have no clock in common, so only the records of one session are
compared across them: two machines may share a spool.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from reverie.capture.hook_events import UNKNOWN_SESSION, parse
from reverie.records import Captured

# A hook writes it in front of everything that an agent says, and in an event's name a quote is escaped.
_STAMP = re.compile(rb'"at": ?(-?\d{1,18}), ?"mono": ?(\d{1,20})(?:, ?"boot": ?"([^"\\]{0,64})")?')
_HEAD_BYTES = 2_000  # an event's name comes first, and an agent may give it any


class Stamp(NamedTuple):
    """The time at which a hook ran: the boot ("" if it does not say), the monotonic clock, the wall clock."""

    boot: str = ""
    mono: int = 0
    at_ms: int = 0


class SpoolRecord(NamedTuple):
    """One record of a spool file, and where it stands there, from 1."""

    payload: bytes
    file: str
    number: int
    stamp: Stamp


def stamp_of(payload: bytes) -> Stamp:
    """Return the time at which the hook ran that wrote a record.

    >>> stamp_of(b'{"event":"Stop","at":1790000000000,"mono":77,"boot":"b1","payload":{}}')
    Stamp(boot='b1', mono=77, at_ms=1790000000000)
    """
    found = _STAMP.search(payload, 0, _HEAD_BYTES)
    return Stamp((found[3] or b"").decode("ascii", "replace"), int(found[2]), int(found[1])) if found else Stamp()


class _Waiting(NamedTuple):
    """An own file whose turn has not come."""

    stamp: Stamp
    session: str
    file: str


class OwnFiles:
    """The own files that wait. Only the stamp of each is held; it is read again when its turn has come."""

    def __init__(self, read: Callable[[str], Sequence[SpoolRecord]], boot: str) -> None:
        """`read` gives the records of a file; `boot` is the one that the machine runs in now, the last of all."""
        self._read, self._boot = read, boot
        self._lanes: dict[str, list[_Waiting]] = {}  # by boot; of each the last one comes first

    def add(self, first: SpoolRecord) -> None:
        """Let a file wait, whose first record this is."""
        one = _Waiting(first.stamp, _session_of(first.payload), first.file)
        self._lanes.setdefault(first.stamp.boot, []).append(one)

    def sort(self) -> None:
        for lane in self._lanes.values():
            lane.sort(key=lambda one: (one.stamp.mono, one.stamp.at_ms), reverse=True)

    def before(self, record: SpoolRecord) -> Iterator[SpoolRecord]:
        """Take the records that come before one of a shared file."""
        stamp = record.stamp
        for boot, lane in self._lanes.items():
            if boot == stamp.boot:
                while lane and lane[-1].stamp.mono < stamp.mono:
                    yield from self._read(lane.pop().file)
            elif lane:
                session = _session_of(record.payload)
                due = [one for one in lane if one.session == session and self._is_earlier(one.stamp, stamp)]
                for one in reversed(due):
                    lane.remove(one)
                    yield from self._read(one.file)

    def rest(self) -> Iterator[SpoolRecord]:
        """Take what is left when no shared file is, an earlier boot first."""
        lanes = [lane for lane in self._lanes.values() if lane]
        for lane in sorted(lanes, key=lambda lane: (lane[-1].stamp.boot == self._boot, lane[-1].stamp.at_ms)):
            while lane:
                yield from self._read(lane.pop().file)

    def _is_earlier(self, one: Stamp, other: Stamp) -> bool:
        """Of two boots. The one that runs now is the last; else only the wall clock tells."""
        if self._boot in (one.boot, other.boot):
            return other.boot == self._boot
        return one.at_ms <= other.at_ms


def merged(shared: Iterable[SpoolRecord], own: OwnFiles) -> Iterator[SpoolRecord]:
    """The records of a shared file, and before each of them what own files have that comes before it."""
    for record in shared:
        yield from own.before(record)
        yield record


def in_sessions(events: Sequence[tuple[Captured, Stamp]]) -> list[Captured]:
    """Events as they are stored together: each session's as they were stamped, in the places that it has among them.

    A hook that was stopped between its stamp and its turn at the lock comes late into a file. Where a stamp names no
    boot, its session is left as it is.
    """
    ordered = [captured for captured, _ in events]
    boots: dict[str, int] = {}  # in the order in which they come
    places: dict[str, list[int]] = {}
    for place, (captured, stamp) in enumerate(events):
        boots.setdefault(stamp.boot, len(boots))
        places.setdefault(captured.session, []).append(place)
    for taken in places.values():
        if all(events[place][1].boot for place in taken):
            stamped = sorted(taken, key=lambda place: (boots[events[place][1].boot], events[place][1].mono))
            for place, came in zip(taken, stamped, strict=True):
                ordered[place] = events[came][0]
    return ordered


def _session_of(payload: bytes) -> str:
    """The session of a record, as far as it can be read."""
    try:
        told = parse(payload)["payload"]["session_id"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return UNKNOWN_SESSION
    return told if isinstance(told, str) else UNKNOWN_SESSION
