"""Turn threads into episodes with summaries and repeated work into skills, and merge equal memories.

Each run leaves a tick in the log that names what it looked at, so that a rebuild does the same again. Nothing is
removed: summaries point at the raw items, and a merge can be undone.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from typing import Any

from reverie.errors import BadInput
from reverie.foundation.as_json import listed
from reverie.ports import DeriveId, Engine, Env
from reverie.records import (
    EPISODIC,
    JSON,
    SEMANTIC,
    Episode,
    Event,
    Filters,
    ItemType,
    Lifecycle,
    Link,
    MemoryItem,
    Thread,
    Vote,
)
from reverie.settings import Settings
from reverie.stores.compaction import LEVELS, Compacted, ThreadState, Write, compact, due
from reverie.stores.duplicates import Merging, applied, propose
from reverie.stores.episodes import episodes_of, links_of
from reverie.stores.skills import skills_of
from reverie.stores.summaries import Written
from reverie.stores.thread_votes import Voter, doubtful
from reverie.stores.threads import threads_of

REPLAYED = ("compact", "skills", "merge", "unmerge")
_RAW = (ItemType.USER_MESSAGE, ItemType.ASSISTANT_MESSAGE, ItemType.TOOL_RESULT, ItemType.ERROR, ItemType.OBSERVATION)
_TOOLS = (ItemType.TOOL_RESULT.value, ItemType.ERROR.value)
_SUMMARIES = (ItemType.SUMMARY.value,)
_SKILL_ITEMS = 5000  # the newest tool calls in which repetitions are looked for
_MERGED_AT_ONCE = 2000  # the newest known items that are compared with each other


@dataclass(frozen=True, slots=True, kw_only=True)
class Compaction:
    """An episode that was summarised, and what that saves."""

    episode: str
    reason: str
    items: int
    tokens_before: int
    tokens_after: int


class Consolidation:
    """One user's slow work."""

    def __init__(self, engine: Engine, env: Env, settings: Settings, derive_id: DeriveId) -> None:
        self._engine = engine
        self._env = env
        self._settings = settings
        self._derive_id = derive_id
        self._known: dict[str, MemoryItem] = {}  # summaries that were there before everything is derived anew

    # ---- threads and episodes

    def compact(
        self, session: str | None = None, write: Write | None = None, voter: Voter | None = None
    ) -> list[Compaction]:
        """Summarise the threads that are due; with a session, that one in any case.

        `write` is a model that writes summaries, `voter` one that says whether two threads are one matter. What they
        said goes into the log, so that a rebuild asks nothing.
        """
        done: list[Compaction] = []
        erasures = self._engine.erasures()
        for reason, threads in self._due(session):
            links = self._links(threads, voter) if len(threads) > 1 else []
            for episode in episodes_of(threads, links, self._derive_id):
                written = self._written(episode, write) if write else []
                noted: dict[str, JSON] = {"reason": reason, **_as_json(episode)}
                if compared := [_link_as_json(one) for one in links if _is_telling(one, episode)]:
                    noted["links"] = compared
                if any(one.by != "rules" for one in written):
                    noted["written"] = [asdict(one) for one in written]
                with self._engine.write():
                    if written and self._engine.erasures() != erasures:
                        return done  # a model tells of what may be forgotten by now; it is asked again next time
                    self._engine.history.tick("compact", noted, self._env.now_ms())
                    compacted = self._summarise(episode, written)
                if not compacted.summaries:
                    continue  # too short to gain by it
                done.append(
                    Compaction(
                        episode=episode.id,
                        reason=reason,
                        items=len(episode.items),
                        tokens_before=compacted.tokens_before,
                        tokens_after=compacted.tokens_after,
                    )
                )
        return done

    def _links(self, threads: Sequence[Thread], voter: Voter | None) -> list[Link]:
        """Link the threads that are one matter: by rules, and where these are unsure by a model's vote, too."""
        items = {item.id: item for thread in threads for item in self._engine.items.get(thread.items)}
        links = links_of(threads, items)
        said = {thread.id: [items[one] for one in thread.items] for thread in threads}
        votes: dict[tuple[str, str], Vote] = {}
        for one in doubtful(links) if voter else ():
            vote = voter(said[one.older], said[one.newer]) if voter else None
            if vote is None:  # no answer, or no money: the others would fare alike
                break
            votes[one.older, one.newer] = vote
        return links_of(threads, items, votes=votes) if votes else links

    def _due(self, session: str | None) -> list[tuple[str, list[Thread]]]:
        """Threads to compact now, by the reason; those that nobody chose together, since they may be one matter."""
        now = self._env.now_ms()
        chosen: list[tuple[str, list[Thread]]] = []
        stream: list[Thread] = []
        for name in [session] if session is not None else self._engine.items.sessions_without_episode():
            raw = self._raw(name)
            ended = (running := self._engine.log.session(name)) is not None and running.ended_ms is not None
            for thread in threads_of(raw):
                state = ThreadState(
                    thread,
                    turns=thread.turns,
                    tokens=thread.tokens,
                    since_ms=thread.started_ms,
                    is_ended=ended,
                    is_asked_for=session is not None,
                )
                if not (reason := due(state, now)):
                    continue
                if thread.explicit:
                    chosen.append((reason, [thread]))
                else:
                    stream.append(thread)
        return chosen + ([("thread ended", stream)] if stream else [])

    def _raw(self, session: str) -> list[MemoryItem]:
        found = self._engine.items.select(Filters(session=session, stores=(EPISODIC,), superseded=True))
        return [item for item in found if not item.episode and item.type in _RAW]

    def _written(self, episode: Episode, write: Write) -> list[Written]:
        """Ask a model for the summaries, short, medium and long, outside any transaction."""
        told: list[Written] = []

        def noting(items: Sequence[MemoryItem], limit_tokens: int) -> Written:
            told.append(write(items, limit_tokens))
            return told[-1]

        items = self._engine.items.get(episode.items)
        compact(episode, items, self._derive_id, noting)
        return told

    def _summarise(self, episode: Episode, written: Sequence[Written]) -> Compacted:
        items = self._engine.items.get(episode.items)
        told = iter(written)
        write: Write | None = (lambda _items, _limit: next(told)) if written else None
        compacted = compact(episode, items, self._derive_id, write, self._known)
        hides = self._settings.compaction.hide_raw
        summaries = [
            # What is in the raw items is not shown twice: the summary is recalled only where it stands for them.
            one if hides else replace(one, lifecycle=Lifecycle.ARCHIVED)
            for one in compacted.summaries
        ]
        self._engine.items.put(summaries)
        self._engine.items.link((one.source, one.kind, one.target) for one in compacted.links)
        self._engine.items.set_episode([item.id for item in items], episode.id, archived=hides)
        return compacted

    def summary(self, session: str, level: str = "medium") -> str:
        """Summarise a session in about 100 (short), 500 (medium) or 1,000 (long) tokens."""
        if level not in LEVELS:
            raise BadInput(f'no length "{level}"; there are {", ".join(LEVELS)}')
        found = self._engine.items.select(Filters(session=session, types=(ItemType.SUMMARY.value,), expired=True))
        told = [item.text for item in found if item.metadata.get("level") == level]
        return "\n\n".join(told)

    # ---- skills

    def extract_skills(self) -> list[MemoryItem]:
        """Look for sequences of tool calls that were repeated and worked; says which skills are new or surer."""
        if not self._settings.enable_skill_extraction:
            return []
        last = self._engine.history.last("skills")
        newest = self._engine.items.select(Filters(types=_TOOLS, stores=(EPISODIC,)), limit=1, newest_first=True)
        if not newest or (last and newest[0].position <= int(str(last.data["up_to"]))):
            return []
        with self._engine.write():
            self._engine.history.tick("skills", {"up_to": newest[0].position}, self._env.now_ms())
            return self._skills(newest[0].position)

    def _skills(self, up_to: int) -> list[MemoryItem]:
        tools = self._engine.items.select(
            Filters(types=_TOOLS, stores=(EPISODIC,)), limit=_SKILL_ITEMS, newest_first=True, up_to=up_to
        )
        known = self._engine.items.select(Filters(types=(ItemType.SKILL.value,), stores=(SEMANTIC,)))
        found = skills_of(self._with_input(tools), known, self._derive_id)
        for skill in found:
            self._keep_versions([skill.id])
        self._engine.items.put(found)
        return found

    def _with_input(self, items: Iterable[MemoryItem]) -> list[MemoryItem]:
        """Tool items with what the tool was called with, which only the log has."""
        told = []
        for item in items:
            observation = self._engine.log.get(item.parent_id or item.id)
            if observation and observation.tool and not item.chunk_index:
                metadata: dict[str, JSON] = {
                    **item.metadata,
                    "tool": observation.tool.name,
                    "input": observation.tool.input,
                }
                told.append(replace(item, metadata=metadata))
        return told

    # ---- merging

    def merge(self, *, dry_run: bool = False) -> list[Merging]:
        """Merge what is known twice, or only say what would be merged."""
        proposals = self._proposals(
            self._engine.items.select(Filters(stores=(SEMANTIC,)), limit=_MERGED_AT_ONCE, newest_first=True)
        )
        for merging in proposals if not dry_run else ():
            with self._engine.write():
                ids: list[JSON] = [merging.keep, *merging.absorbed]
                self._engine.history.tick("merge", {"ids": ids}, self._env.now_ms())
                self._apply(merging)
        return proposals

    def _proposals(self, items: Sequence[MemoryItem]) -> list[Merging]:
        return propose(items)

    def _apply(self, merging: Merging) -> None:
        self._keep_versions([item.id for item in merging.before])
        self._engine.items.put(applied(merging))
        self._engine.items.link((merging.keep, "merged", one) for one in merging.absorbed)

    def undo_merge(self, item_id: str) -> list[MemoryItem]:
        """Take a merge apart again: every item as it was before."""
        with self._engine.write():
            restored = self._unmerge(item_id)
            if not restored:
                raise BadInput(f'nothing was merged into "{item_id}"')
            self._engine.log.act("unmerge", item_id, {}, self._env.now_ms())
        return restored

    def _unmerge(self, item_id: str) -> list[MemoryItem]:
        absorbed = [
            to for source, kind, to in self._engine.items.links(item_id) if kind == "merged" and source == item_id
        ]
        before = [self._engine.items.versions(one)[-1] for one in (item_id, *absorbed)] if absorbed else []
        self._engine.items.put(before)
        self._engine.items.unlink((item_id, "merged", one) for one in absorbed)
        return before

    def _keep_versions(self, ids: Sequence[str]) -> None:
        for item in self._engine.items.get(ids):
            self._engine.items.keep_version(item)

    # ---- derived anew

    @contextmanager
    def knowing_summaries(self) -> Iterator[None]:
        """Make no summary again that is there now and would be of the same items: that takes longest.

        Which items it would be of depends on what they are worth by then. One that was superseded is left out.
        """
        all_of_them = Filters(stores=(EPISODIC,), types=_SUMMARIES, superseded=True, expired=True, deleted=True)
        self._known = {item.id: item for item in self._engine.items.select(all_of_them)}
        try:
            yield
        finally:
            self._known = {}

    def replay(self, event: Event) -> None:
        data = event.data
        match event.kind:
            case "compact":
                written: list[Any] = listed(data.get("written"))
                self._summarise(_from_json(data), [Written(**one) for one in written])
            case "skills":
                self._skills(int(str(data["up_to"])))
            case "merge":
                ids = [str(one) for one in listed(data["ids"])]
                for merging in self._proposals(self._engine.items.get(ids)):
                    self._apply(merging)
            case "unmerge":
                self._unmerge(event.target)


def _as_json(episode: Episode) -> dict[str, JSON]:
    return {
        "episode": episode.id,
        "threads": list(episode.threads),
        "items": list(episode.items),
        "started_ms": episode.started_ms,
        "ended_ms": episode.ended_ms,
    }


def _is_telling(link: Link, episode: Episode) -> bool:
    """Whether a comparison says why an episode is as it is: what linked its threads, and what was voted on."""
    is_inside = link.older in episode.threads and link.newer in episode.threads
    is_beside = link.older in episode.threads or link.newer in episode.threads
    return (link.linked and is_inside) or (link.vote is not None and is_beside)


def _link_as_json(link: Link) -> JSON:
    vote: JSON = {"linked": link.vote.linked, "confidence": link.vote.confidence} if link.vote else None
    return {
        "older": link.older,
        "newer": link.newer,
        "score": link.score,
        "parts": dict(link.parts),
        "vote": vote,
        "linked": link.linked,
        "decided_by": link.decided_by,
    }


def _from_json(data: Mapping[str, JSON]) -> Episode:
    return Episode(
        id=str(data["episode"]),
        threads=tuple(map(str, listed(data["threads"]))),
        items=tuple(map(str, listed(data["items"]))),
        started_ms=int(str(data["started_ms"])),
        ended_ms=int(str(data["ended_ms"])),
    )
