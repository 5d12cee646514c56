"""A question -> the memories that answer it, ranked: one search of the index, one ranking, whoever asks.

`search` shows the first of them, `assemble_context` packs them into a budget, a conversation lets some of them come up.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from reverie.ports import Matches, SearchIndex
from reverie.recall.floor import JUDGED, how_founded
from reverie.recall.question import CANDIDATES
from reverie.recall.rank import Entry, LeftOut, Ranked, one_per_source, rank, scale_of
from reverie.recall.word_overlap import Likeness
from reverie.records import WORKING, Candidate, MemoryItem, ReadContext, Recalled
from reverie.settings import RecallSettings

# Likeness from which an item is the same as one in working memory, and left out.
_SAME = 0.95

GetItems = Callable[[Sequence[str]], Sequence[MemoryItem]]


@dataclass(frozen=True, slots=True)
class Beside:
    """Candidates from beside the index, and the items that the agent sees already.

    `at_hand` are items of the running session: they are offered however little they have to do with the question, and
    scored by the index like all others. `offered` are the candidates of other people's memory types, by their own
    scores. What only repeats `working` is left out, and so is everything of which `leave_out` says so.
    """

    at_hand: Sequence[MemoryItem] = ()
    offered: Sequence[Candidate] = ()
    working: Sequence[MemoryItem] = ()
    leave_out: Callable[[MemoryItem], bool] | None = None


NOTHING_BESIDE = Beside()


@dataclass(frozen=True, slots=True)
class Answer:
    """Ranked memories, best first; those left out, each with the reason; and how well all this is founded.

    Below the floor nothing is known: `found` has only what is at hand.
    """

    found: tuple[Recalled, ...]
    founded: float = 0.0  # 0 to 1
    reason: str = ""  # for that, in words
    left_out: tuple[tuple[str, str], ...] = ()
    degraded: str = ""  # what could not be asked, and why


def answer_question(
    context: ReadContext,
    index: SearchIndex,
    get_items: GetItems,
    settings: RecallSettings,
    most: int,
    beside: Beside = NOTHING_BESIDE,
) -> Answer:
    """Search once, rank once, and read the items of the first `most`.

    Similarity is measured among the same number of candidates whatever `most` is, so the first ten of a long answer are
    the ten of a short one. What comes after these candidates in the index comes after them in the answer.
    """
    matches = index.match(context, max(CANDIDATES, 2 * most), [item.id for item in beside.at_hand])
    entries = [*map(Entry, matches.ids, matches.scores, matches.created_ms, matches.importances, matches.sources)]
    first = matches.by_score
    field, rest = [*entries[:CANDIDATES], *entries[first:]], entries[CANDIDATES:first]
    field = _with_offers(field, beside.offered)
    given = {one.item.id: one.item for one in beside.offered} | {one.id: one for one in beside.at_hand}
    for one in matches.ids[:first]:
        given.pop(one, None)  # the index has found it by itself: it is shown as it is stored
    left_out: LeftOut = []
    if beside.working or beside.leave_out:
        given = _read([entry.id for entry in (*field, *rest)], given, get_items)
        field = _not_known(field, given, beside, left_out)
        rest = _not_known(rest, given, beside, left_out)
    scale = scale_of(field)
    ranked = rank(field, context, settings, scale) + rank(rest, context, settings, scale)
    kept, repeated = one_per_source(ranked, max(most, JUDGED))
    found = _recalled(kept, matches, beside.offered, given, get_items)
    at_hand = set(matches.ids[first:])
    first_found = [one for one in found if one.item.id not in at_hand][:JUDGED]
    founded = how_founded(context, index.grounds(context, [one.item.id for one in first_found]), first_found)
    if founded.value < settings.floor and not context.everything:
        below = [one.item.id for one in found if one.item.id not in at_hand]
        left_out += [(one, f"below the floor: {founded.reason}") for one in below]
        found = [one for one in found if one.item.id in at_hand]
    return Answer(tuple(found[:most]), founded.value, founded.reason, (*left_out, *repeated))


def _with_offers(field: list[Entry], offered: Sequence[Candidate]) -> list[Entry]:
    """Add what other people's memory types offer; of two offers of the same item the better counts."""
    best = {entry.id: entry for entry in field}
    for one in offered:
        if one.item.id not in best or one.score > best[one.item.id].score:
            best[one.item.id] = _entry_of(one)
    return list(best.values())


def _entry_of(candidate: Candidate) -> Entry:
    item = candidate.item
    source = item.sources[0] if len(item.sources) == 1 else item.id
    return Entry(item.id, candidate.score, item.created_ms, item.importance, source)


def _read(ids: Sequence[str], given: Mapping[str, MemoryItem], get_items: GetItems) -> dict[str, MemoryItem]:
    """The items with these ids: those that were given, and the rest from the record."""
    missing = [one for one in ids if one not in given]
    return {**given, **{item.id: item for item in get_items(missing)}} if missing else dict(given)


def _not_known(
    entries: Sequence[Entry],
    items: Mapping[str, MemoryItem],
    beside: Beside,
    left_out: LeftOut,
) -> list[Entry]:
    """Leave out what the agent has before it already, before the rest is measured by it."""
    known = Likeness(beside.working)
    kept = []
    for entry in entries:
        item = items.get(entry.id)
        if item is None or (beside.leave_out and beside.leave_out(item)):
            continue
        likeness = known.most(item) if known and item.store != WORKING else 0.0
        if likeness >= _SAME:
            left_out.append((item.id, f"in working memory already (likeness {likeness:.2f})"))
        else:
            kept.append(entry._replace(likeness=likeness))
    return kept


def _recalled(
    ranked: Sequence[Ranked],
    matches: Matches,
    offered: Sequence[Candidate],
    given: Mapping[str, MemoryItem],
    get_items: GetItems,
) -> list[Recalled]:
    """The memories that are shown, with what their scores are made of."""
    items = _read([one.entry.id for one in ranked], given, get_items)
    place_of = {item_id: place for place, item_id in enumerate(matches.ids)}
    places = [place_of[one.entry.id] for one in ranked if one.entry.id in place_of]
    parts = {one.item.id: one.parts for one in offered}
    parts |= {matches.ids[place]: told for place, told in zip(places, matches.parts(places), strict=True)}
    return [
        Recalled(
            item=items[one.entry.id],
            score=one.score,
            similarity=one.similarity,
            recency=one.recency,
            importance=one.importance,
            duplication=one.duplication,
            parts=parts[one.entry.id],
        )
        for one in ranked
        if one.entry.id in items
    ]
