"""A text that says what to forget -> a `ForgetScope`, and the items that it means.

    id:01HX…   session:abc   project:/work/shop   speaker:Ana   type:error   tag:draft   store:working
    before:2024-01-01   after:2024-01-01T18:30   text:"words to match"   all

Terms joined by spaces must all hold; several ids are any of these. `after` includes its moment, `before` does not.
A value with spaces stands in double quotes; words without a key that follow `text:` belong to it.
"""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from reverie.errors import BadInput
from reverie.language.mentions import says
from reverie.ports import StoreView
from reverie.records import Filters, ItemType, MemoryItem
from reverie.stores.filters import time_named, type_named, unknown
from reverie.stores.overflow_summary import first_ms, is_folded

_KEYS = ("id", "session", "project", "speaker", "type", "tag", "store", "before", "after", "text")
_TERM = re.compile(r'(?:[^\s"]|"(?:[^"\\]|\\.)*")+')
_QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)"')
_SEVERAL = {"type": "types", "tag": "tags", "store": "stores"}
_ONE = {
    "session": "session",
    "project": "project",
    "speaker": "speaker",
    "before": "before_ms",
    "after": "after_ms",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ForgetScope:
    """A choice of the items to forget. `everything` is never implied: it has to be said."""

    ids: tuple[str, ...] = ()
    filters: Filters = field(default_factory=Filters)
    text: str = ""
    everything: bool = False


def parse_scope(text: str, stores: Collection[str] = ()) -> ForgetScope:
    """Parse what somebody wants forgotten. With `stores`, the names of memory types are checked too.

    >>> scope = parse_scope('project:"/my work" type:error before:2024-01-01')
    >>> scope.filters.project, scope.filters.types, scope.filters.before_ms
    ('/my work', ('error',), 1704067200000)
    """
    terms = list(_terms(text))
    if not terms:
        raise BadInput('nothing is named to forget; say what, such as session:abc, or "all" for everything')
    if ("", "all") in terms:
        if len(terms) > 1:
            raise BadInput('"all" stands alone; leave it out to forget what the other terms name')
        return ForgetScope(everything=True)
    ids = tuple(value for key, value in terms if key == "id")
    words = " ".join(value for key, value in terms if key == "text")
    return ForgetScope(ids=ids, filters=_filters(terms, stores), text=words)


def _terms(text: str) -> Iterator[tuple[str, str]]:
    """(key, value), in order. Words without a key go on with the text before them; elsewhere only `all` has none."""
    if '"' in _TERM.sub("", text):
        raise BadInput(f"a quotation mark is not closed in: {text.strip()}")
    last = ""
    for term in _TERM.findall(text):
        key, colon, value = term.partition(":") if not term.startswith('"') else ("", "", term)
        if not colon:
            key, value = "text" if last == "text" else "", term
        if not colon and not key and value != "all":
            keys = ", ".join(f"{known}:" for known in _KEYS)
            raise BadInput(f"{value} has no key; begin it with one of {keys} or quote a value that has spaces")
        if colon and key not in _KEYS:
            raise BadInput(unknown("scope", key, _KEYS) + '; a value with a colon goes in quotes: text:"a:b"')
        quoted = _QUOTED.fullmatch(value)
        value = re.sub(r"\\(.)", r"\1", quoted[1]) if quoted else value
        if not value.strip() and not (key == "project" and quoted):  # project:"" is what belongs to no project
            raise BadInput(f'"{key}:" has no value')
        last = key
        yield key, value


def _filters(terms: Sequence[tuple[str, str]], stores: Collection[str]) -> Filters:
    found: dict[str, Any] = {}
    for key, value in terms:
        if key in _SEVERAL:
            if key == "type":
                type_named(value)
            if key == "store" and stores and value not in stores:
                raise BadInput(unknown("memory type", value, stores))
            found[_SEVERAL[key]] = (*found.get(_SEVERAL[key], ()), value)
        elif key in _ONE:
            if _ONE[key] in found:
                raise BadInput(f'"{key}:" is said twice, and no item has both; forget them one after the other')
            found[_ONE[key]] = time_named(value) if key in ("before", "after") else value
    return Filters(**found)


# ---- what a scope means


def in_scope(scope: ForgetScope, view: StoreView) -> list[MemoryItem]:
    """The items of a memory type that a scope means: old, hidden and doubtful ones as well.

    An id means that item, and everything that was made of it: its chunks, its copies, what was learned from it.
    """
    if scope.filters.stores and view.name not in scope.filters.stores:
        return []
    wanted = everything_of(scope.filters)
    named = view.made_of(scope.ids) if scope.ids else view.items(wanted)
    found = [
        item
        for item in named
        if (not scope.ids or wanted.admits(item))
        and (scope.filters.project is None or item.project == scope.filters.project)
        and (not scope.text or says(item.text, scope.text))
    ]
    return found + _summaries_of(found, scope, view)


def forget(scope: ForgetScope, view: StoreView, at_ms: int, *, hard: bool = False) -> int:
    """Hide what a scope means, or erase it; says how many items there were."""
    if scope == ForgetScope():
        raise BadInput("nothing is named to forget; say so where everything is meant")
    ids = [item.id for item in in_scope(scope, view)]
    return view.remove(ids, at_ms, hard=hard) if ids else 0


def forget_matching(filters: Filters, view: StoreView, at_ms: int, *, hard: bool = False) -> int:
    """The same for a memory type, to which no filters mean all that it has. A project means that project alone."""
    return forget(ForgetScope(filters=filters, everything=True), view, at_ms, hard=hard)


def everything_of(filters: Filters) -> Filters:
    """The same filters for what is old, hidden or doubtful as well, in all memory types."""
    return replace(filters, stores=(), superseded=True, quarantined=True, expired=True, deleted=True)


def _summaries_of(found: Sequence[MemoryItem], scope: ForgetScope, view: StoreView) -> list[MemoryItem]:
    """The rolling summaries that may tell of what is forgotten.

    What they stand for is often no longer on the view, so who said it and of what type it was cannot be asked: place
    and time decide. Too much goes rather than too little; a summary can be made again.
    """
    touched = {(item.project, item.session) for item in found}
    if not touched and (scope.ids or scope.text):
        return []
    filters = scope.filters
    place = Filters(session=filters.session, task=filters.task, agent=filters.agent, types=(ItemType.SUMMARY,))
    known = {item.id for item in found}
    return [
        item
        for item in view.items(everything_of(place))
        if is_folded(item)
        and item.id not in known
        and (filters.project is None or item.project == filters.project)
        and (filters.before_ms is None or first_ms(item) < filters.before_ms)
        and (filters.after_ms is None or item.created_ms >= filters.after_ms)
        and ((item.project, item.session) in touched or not (scope.ids or scope.text))
    ]
