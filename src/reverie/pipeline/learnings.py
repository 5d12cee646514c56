"""Learnings and skills: what was distilled from turns, and ways of working that were repeated and worked."""

from collections.abc import Iterable, Sequence

from reverie.capture.observation_input import a_text
from reverie.errors import BadInput
from reverie.pipeline.item_writer import ItemWriter
from reverie.pipeline.lookup import a_limit
from reverie.pipeline.open_store import OpenStore
from reverie.records import Filters, ItemType, Learned, LearningType, MemoryItem

# Of one kind, this many of all kinds are looked at: each kind is at least some per cent of what people say.
_SEARCHED = 1_000
_ALL = 1_000_000


class KnownLearnings:
    """The learnings that are in force: facts, patterns, corrections, preferences and actions."""

    def __init__(self, store: OpenStore, writer: ItemWriter) -> None:
        self._store = store
        self._writer = writer

    def list(
        self,
        kind: LearningType | str | None = None,
        *,
        project: str | None = None,
        since_ms: int = 0,
        limit: int = 100,
    ) -> Sequence[Learned]:
        """Return what was learned, newest first; with a project, what holds there."""
        wanted, limit = _kind(kind), a_limit(limit)
        most = limit if wanted is None else _ALL
        found = self._store.engine.learnings.recent(since_ms, self._project(project), most)
        return [it for it in found if wanted in (None, it.type)][:limit]

    def get(self, ids: str | Iterable[str]) -> Sequence[Learned]:
        """Return learnings by id, also such as were superseded."""
        wanted = [a_text(one, "a learning's id") for one in ([ids] if isinstance(ids, str) else ids)]
        found = self._store.engine.learnings.get(wanted)
        if missing := set(wanted) - {it.id for it in found}:
            raise BadInput(f"no learning has the id {', '.join(sorted(missing))}; `learnings.list` shows ids")
        return found

    def search(
        self, query: str, kind: LearningType | str | None = None, *, project: str | None = None, limit: int = 10
    ) -> Sequence[Learned]:
        """Return what was learned that has words of a question, best first."""
        wanted, limit = _kind(kind), a_limit(limit)
        learnings = self._store.engine.learnings
        most = limit if wanted is None else max(limit, _SEARCHED)
        hits = learnings.search(a_text(query, "a question"), most, self._project(project))
        return [it for it in learnings.get([hit.id for hit in hits]) if wanted in (None, it.type)][:limit]

    def move(self, learning_id: str, *, personal: bool) -> Learned:
        """Make a learning the person's own in every project, or that of the project in which it was said.

        The move is an act in the log, so a rebuild keeps it.
        """
        engine = self._store.engine
        (learned,) = self.get(learning_id)
        source = engine.log.get(learned.observation_id)
        project = "" if personal or source is None else source.project
        if not (personal or project):
            raise BadInput(f"{learning_id} was said in no project, so it can only be the person's")
        if project == learned.project:
            return learned
        with engine.write():
            engine.log.act("move", learning_id, {"project": project}, self._store.env.now_ms())
            engine.learnings.move(learning_id, project)
            kept = engine.items.get([*engine.learnings.kept_as([learning_id]).values()])
            for item in kept:
                if item.id not in item.sources:
                    self._writer.edit(item.id, {"project": project}, None)
        return self.get(learning_id)[0]

    def _project(self, project: str | None) -> str | None:
        return None if project is None else self._store.clean_name(project)


class KnownSkills:
    """Sequences of tool calls that were repeated and worked."""

    def __init__(self, store: OpenStore) -> None:
        self._store = store

    def list(self, project: str | None = None) -> Sequence[MemoryItem]:
        """Return the skills that are known, oldest first; `maintenance.extract_skills` looks for new ones."""
        project = None if project is None else self._store.clean_name(project)
        return self._store.engine.items.select(Filters(types=(ItemType.SKILL.value,), project=project))


def _kind(kind: LearningType | str | None) -> LearningType | None:
    """Read a kind of learning.

    >>> _kind("Fact"), _kind(None)
    (<LearningType.FACT: 'fact'>, None)
    """
    if kind is None:
        return None
    try:
        return LearningType(a_text(kind, "a kind of learning").strip().lower())
    except ValueError:
        known = ", ".join(one.value for one in LearningType)
        raise BadInput(f"{kind!r} is no kind of learning; there are {known}") from None
