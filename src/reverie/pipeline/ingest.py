"""Ingest: what a program or a person says -> observations in the log. Distilling and indexing come later."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from reverie.capture.observation_input import a_text, again, captured
from reverie.errors import BadInput, BulkStopped, ReverieError
from reverie.events import ObservationStored
from reverie.foundation.bulk import chars_of, chunks
from reverie.pipeline.open_store import OpenStore
from reverie.ports import Meanwhile
from reverie.records import Captured, Kind, Observation

_MOST_OPEN = 1_000  # sessions that `close_turns` ends; the turns of a program that never commits end by themselves
NOTES = "notes"


class Ingest:
    def __init__(self, store: OpenStore) -> None:
        self._store = store
        self._open_in: dict[str, None] = {}  # the sessions that were observed since the last `close_turns`

    # ---- what callers say

    def observe(
        self, what: str | Mapping[str, Any] | Iterable[str | Mapping[str, Any]], fields: Mapping[str, Any]
    ) -> int:
        """Store one observation or many; return how many were new."""
        if isinstance(what, str):
            what = {"text": what}
        if isinstance(what, Mapping):
            one = self._captured({**what, **fields})
            self._open_in[one.session] = None
            if len(self._open_in) > _MOST_OPEN:
                del self._open_in[next(iter(self._open_in))]
            return self.store([one])
        if not isinstance(what, Iterable):
            raise BadInput(f"observe takes a text, a mapping or many of them, not {type(what).__name__}")
        return self._observe_many(what, fields)

    def _observe_many(self, items: Iterable[str | Mapping[str, Any]], common: Mapping[str, Any]) -> int:
        """Store a chunk at a time. An error, also one of the caller's iterator, says how many items are stored."""
        new = seen = 0
        times_said: dict[int, int] = {}  # how often the same words at the same time came before, by hash

        def captures() -> Iterator[Captured]:
            for number, item in enumerate(items):
                try:
                    yield self._in_bulk(item, common, times_said)
                except BadInput as error:
                    raise BadInput(f"item {number}: {error}") from error

        try:
            for chunk in chunks(captures(), chars_of):
                new += self.store(chunk)
                seen += len(chunk)
        except Exception as error:
            why = str(error) if isinstance(error, ReverieError) else f"{type(error).__name__}: {error}"
            raise BulkStopped(f"stopped after {seen} items: {why}", seen) from error
        return new

    def _in_bulk(self, item: object, common: Mapping[str, Any], times_said: dict[int, int]) -> Captured:
        """Read one of many. Two equal items of one call are two events; in a later call they are repeats."""
        if isinstance(item, str):
            item = {"text": item}
        if not isinstance(item, Mapping):
            raise BadInput(f"an observation is a text, or a mapping with one, not {type(item).__name__}")
        one = captured({**common, **item}, self._store.env.now_ms(), self._store.engine.mark)
        if one.event_id.startswith("id:"):
            return one
        place = hash((one.session, one.event_id))
        times_said[place] = number = times_said.get(place, 0) + 1
        return one if number == 1 else again(one, number)

    def note(self, text: str, *, project: str = "", session: str = NOTES) -> str:
        """Store a person's note; return its id."""
        if not a_text(text, "a note").strip():
            raise BadInput("a note needs some text")
        fields = {"text": text, "kind": Kind.NOTE, "speaker": "user", "session": session, "project": project}
        noted = self._captured(fields)
        if noted.kind is not Kind.NOTE:
            raise BadInput("a note needs words of your own; all of this stands in tags that a coding agent writes")
        return self.keep(noted).id

    def note_from_file(self, text: str) -> None:
        """Store a line that a person wrote into user.md."""
        fields = {"text": text, "kind": Kind.NOTE, "speaker": "user", "session": "user.md"}
        self.store([replace(self._captured(fields), source="file")])

    def _captured(self, fields: Mapping[str, Any]) -> Captured:
        """Read one call. Random bytes tell it from every other call, however alike they are."""
        env = self._store.env
        return captured(fields, env.now_ms(), self._store.engine.mark, env.random_bytes(8))

    def close_turns(self) -> None:
        """End the turn in every session that was observed, one by one, since the last time."""
        for session in list(self._open_in):
            self._store.engine.log.close_turn(session)
            self._open_in.pop(session, None)

    # ---- into the log

    def store(
        self,
        captures: Sequence[Captured],
        drained: Mapping[str, int] | None = None,
        meanwhile: Meanwhile | None = None,
    ) -> int:
        """Put captured events into the log, all or none; return how many were new."""
        return sum(one is not None for one in self._append(captures, drained, meanwhile))

    def keep(self, one: Captured) -> Observation:
        """Put one captured event into the log. A repeat is an error: the caller says that it is new."""
        stored = self._append([one])[0]
        if stored is None:
            raise BadInput("this was stored a moment ago")
        return stored

    def _append(
        self,
        captures: Sequence[Captured],
        drained: Mapping[str, int] | None = None,
        meanwhile: Meanwhile | None = None,
    ) -> list[Observation | None]:
        """Append to the log and publish. Everything that is observed, noted, said or tracked comes in here.

        A repeat gives None.
        """
        stored = self._store.engine.log.append(captures, drained, meanwhile, self._as_logged(captures))
        if self._store.events.has_subscribers(ObservationStored):
            for observation in stored:
                if observation is not None:
                    self._store.events.publish(ObservationStored(observation))
        return stored

    def _as_logged(self, captures: Sequence[Captured]) -> Sequence[Captured] | None:
        """Mask what a strict privacy setting keeps out of the log; None, at no cost, where it keeps out nothing."""
        policy = self._store.settings.privacy
        if policy.log == "keep":
            return None
        from reverie.gate.logged import as_logged

        return [as_logged(one, policy, self._store.engine.mark) for one in captures]
