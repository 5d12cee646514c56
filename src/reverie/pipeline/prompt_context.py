"""Prompt context: what is known about a prompt, or about a file that an agent opens. Each session is told it once.

It is the answer of `recall`, without what this session said or was told already. The trace keeps what was told, when
and why, and also that nothing was (`reverie explain --told`).
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from reverie.compose.recalled import render
from reverie.language.host_tags import parted
from reverie.language.paths import names_file, names_folder
from reverie.language.tokens import count_tokens
from reverie.pipeline.lookup import Lookup
from reverie.pipeline.open_store import OpenStore
from reverie.pipeline.turn_trace import TurnTrace
from reverie.recall import why
from reverie.recall.question import CANDIDATES
from reverie.records import SEMANTIC, Filters, ItemType, MemoryItem, ReadContext, Recalled, Session

PROMPT_TOKENS = 400  # an agent reads it beside a prompt at every turn
FILE_TOKENS = 150
_FAR_BEHIND = 0.2  # similarity, where the best has 1: of 80 tasks one is told less, and a fifth of the text is saved
_MOST_FOR_A_FILE = 6
_FOLDERS = 3  # above a file, whose names are looked for
_LOOKED_AT = 200
_AT_FILE = "@"  # before the id of what a session was told when it opened a file
# What is told unasked. What a tool printed weeks ago is found by who searches for it.
_TOLD_TYPES = (
    ItemType.USER_MESSAGE,
    ItemType.ASSISTANT_MESSAGE,
    ItemType.OBSERVATION,
    ItemType.FACT,
    ItemType.PREFERENCE,
    ItemType.CORRECTION,
    ItemType.PATTERN,
    ItemType.SUMMARY,
    ItemType.INSIGHT,
)
_RULES = (ItemType.CORRECTION, ItemType.PREFERENCE, ItemType.FACT)


@dataclass(frozen=True, slots=True)
class ToldContext:
    """Text for an agent, "" if there is nothing to say. `confirm` records that the agent has been told."""

    text: str
    confirm: Callable[[], None] = lambda: None

    def confirmed(self) -> str:
        """Record that the agent has been told, and return the text."""
        self.confirm()
        return self.text


class PromptContext:
    def __init__(self, store: OpenStore, lookup: Lookup, trace: TurnTrace) -> None:
        self._store = store
        self._lookup = lookup
        self._trace = trace

    def answer(self, prompt: str, path: str, project: str, session: str | None) -> ToldContext:
        """Return what is known about a file if one is named, else about a prompt."""
        return self.for_file(path, project, session) if path else self.for_prompt(prompt, project, session)

    def for_prompt(self, prompt: str, project: str, session: str | None) -> ToldContext:
        """Return what memory knows about a prompt, above the floor and within the budget."""
        prompt = parted(prompt).own.strip()
        if not prompt:
            return ToldContext("")
        running = self._session(session)
        known = self._known(running)
        context = self._lookup.question(prompt, self._filters(project), None, top_k=CANDIDATES)
        context = replace(context, budget_tokens=PROMPT_TOKENS)
        found = self._lookup.assemble(context, lambda item: _is_known(item, session, known), None)
        best = found.bundle.items[:1]
        told = [*best, *(one for one in found.bundle.items[1:] if one.similarity >= _FAR_BEHIND)]
        return self._told("prompt", context, running, told, render(told) if told else "")

    def for_file(self, path: str, project: str, session: str | None) -> ToldContext:
        """Return corrections, wishes and decisions that name this file or a folder of it.

        They are told when the file is opened, though the session may have heard them with many others when it began.
        """
        self._lookup.refresh()
        running = self._session(session)
        told_before = running.shown if running else frozenset()
        relative = path.removeprefix(project).lstrip("/") if project else path
        named = [
            Recalled(
                item=item, score=1.0, similarity=1.0, recency=1.0, importance=1.0, duplication=0.0, shown=item.text
            )
            for item in self._rules_naming(relative, project)
            if f"{_AT_FILE}{item.id}" not in told_before and not (session and item.session == session)
        ]
        told = _within(named[:_MOST_FOR_A_FILE], FILE_TOKENS)
        context = ReadContext(query_text=relative, at_ms=self._store.env.now_ms(), budget_tokens=FILE_TOKENS)
        return self._told("file", context, running, told, render(told) if told else "")

    def _rules_naming(self, path: str, project: str) -> list[MemoryItem]:
        *folders, name = path.split("/")
        filters = replace(self._filters(project), stores=(SEMANTIC,), types=tuple(map(str, _RULES)))
        found: dict[str, MemoryItem] = {}
        for words in (name, *folders[-_FOLDERS:]):
            for item in self._store.engine.items.select(filters, words=words, limit=_LOOKED_AT):
                found[item.id] = item
        return [item for item in found.values() if _is_about(item, path)]

    def _filters(self, project: str) -> Filters:
        return replace(
            self._lookup.filters(None), project=self._store.clean_name(project), types=tuple(map(str, _TOLD_TYPES))
        )

    def _session(self, session: str | None) -> Session | None:
        return self._store.engine.log.session(self._store.clean_name(session)) if session else None

    def _known(self, session: Session | None) -> set[str]:
        """The ids of what the session was told already: memories, and what they were learned from."""
        if session is None:
            return set()
        learnings = self._store.engine.learnings
        standing = [*learnings.preferences(), *learnings.preferences(session.project)]  # told when it began
        shown = {*session.shown, *(one.id for one in standing)}
        return shown | set(learnings.kept_as(sorted(shown)).values())

    def _told(
        self, about: str, context: ReadContext, session: Session | None, told: Iterable[Recalled], text: str
    ) -> ToldContext:
        told = list(told)

        def confirm() -> None:
            with self._store.engine.write():
                if session and told:
                    ids = {one.item.id for one in told} | {source for one in told for source in one.item.sources}
                    ids |= {f"{_AT_FILE}{one.item.id}" for one in told if about == "file"}
                    now = self._store.engine.log.session(session.id) or session
                    self._store.engine.log.note_injection(session.id, now.shown | ids)
                self._trace.told(
                    about,
                    context,
                    session.id if session else "",
                    [(one.item.id, why(one)) for one in told],
                    text,
                )

        return ToldContext(text, confirm)


def _is_known(item: MemoryItem, session: str | None, known: set[str]) -> bool:
    if session and item.session == session:
        return True
    return item.id in known or any(source in known for source in item.sources)


def _is_about(item: MemoryItem, path: str) -> bool:
    """Whether a rule names the file; a plain fact must name it in full, a rule may name its folder."""
    return names_file(item.text, path) or (item.type is not ItemType.FACT and names_folder(item.text, path))


def _within(told: list[Recalled], tokens: int) -> list[Recalled]:
    while told and count_tokens(render(told)) > tokens:
        told = told[:-1]
    return told
