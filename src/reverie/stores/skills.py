"""Tool items -> skills: sequences of steps that were repeated, as one does a task again, and that worked.

Confidence = .4 · repetitions / 10 (at most 1) + .6 · share of runs that worked; above .7 a sequence becomes a skill, so
three clean repetitions are enough and one failure in four is too much. Afterwards each run that worked adds .05, each
that failed takes .10, and every 30 days without use leave .95 of it. Looking at things is not a skill, however often;
doing something again at once after it failed is the same attempt, not another repetition.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from reverie.language.tokens import count_tokens
from reverie.ports import DeriveId
from reverie.records import SEMANTIC, ItemType, Lifecycle, MemoryItem, Source
from reverie.stores.steps import Step, shown, steps_of
from reverie.stores.threads import in_order

_LONGEST = 6  # steps; what is longer and repeats is made of shorter ones
_KEPT_RUNS = 3  # whose items a skill names as its sources, the newest
_DAY_MS = 86_400_000
_FADE_DAYS = 30
REPEATS = 3  # a sequence that was done less often is a coincidence
_FULL_REPEATS = 10  # repetitions that count in full; with 50, nothing under 15 could ever become a skill
_SKILL_ABOVE = 0.7  # confidence at which a sequence becomes a skill
_SUCCESS = 0.05  # confidence gained by each further run that worked
_FAILURE = 0.10  # and lost by each that did not: a bad habit is worse than none
_FADE = 0.95  # times this for every 30 days without use
MAX_SKILLS = 1_000  # the least trusted go first


@dataclass(frozen=True, slots=True)
class Run:
    """One time that a sequence was gone through."""

    steps: tuple[Step, ...]
    worked: bool

    @property
    def ended(self) -> tuple[int, int]:
        """Its place: in the log, and in time where the log has none."""
        last = self.steps[-1].item
        return last.position, last.created_ms


def skills_of(items: Iterable[MemoryItem], known: Sequence[MemoryItem], derive_id: DeriveId) -> list[MemoryItem]:
    """One user's new skills, and known ones that were used since; those that are one too many come back expired."""
    by_subject = {skill.subject: skill for skill in known if skill.type is ItemType.SKILL and skill.is_current}
    changed: list[MemoryItem] = []
    for names, runs in _repeated(_streams(items), {*by_subject}, REPEATS):
        subject = _subject(names)
        if subject in by_subject:
            made = _practised(by_subject[subject], runs, derive_id)
        else:
            made = _learned(subject, runs, derive_id)
        if made is not None:
            by_subject[subject] = made
            changed.append(made)
    ranked = sorted(by_subject.values(), key=lambda skill: (-skill.confidence, -skill.created_ms, skill.id))
    gone = ranked[MAX_SKILLS:]
    known_ids = {skill.id for skill in known}
    expired = [skill for skill in gone if skill.id in known_ids or skill.version > 1]
    return [skill for skill in changed if skill not in gone] + [
        replace(skill, lifecycle=Lifecycle.EXPIRED) for skill in expired
    ]


def faded(skill: MemoryItem, at_ms: int) -> MemoryItem:
    """The skill as sure as it is by now: less for each whole month in which nobody used it."""
    used_ms = _number(skill, "used_ms") or skill.created_ms
    months = max(at_ms - used_ms, 0) // (_FADE_DAYS * _DAY_MS)
    return replace(skill, confidence=round(skill.confidence * _FADE**months, 4))


def _streams(items: Iterable[MemoryItem]) -> list[list[Step]]:
    """The steps of each task (or session, where no task is known), in order."""
    streams: dict[tuple[str, str, str], list[Step]] = defaultdict(list)
    for item in in_order(items):
        streams[item.user, item.project, item.task or item.session] += steps_of(item)
    return [streams[key] for key in sorted(streams)]


def _repeated(
    streams: Sequence[Sequence[Step]], known: set[str], repeats: int
) -> list[tuple[tuple[str, ...], list[Run]]]:
    """The sequences with their runs: those that explain most steps first, no step used twice."""
    places: dict[tuple[str, ...], list[tuple[int, int]]] = defaultdict(list)
    for stream, steps in enumerate(streams):
        for length in range(2, _LONGEST + 1):
            for start in range(len(steps) - length + 1):
                places[tuple(step.name for step in steps[start : start + length])].append((stream, start))
    sequences = [
        names
        for names, found in places.items()
        if (len(found) >= repeats or _subject(names) in known) and _is_a_task(names, streams, found[0])
    ]
    explained = {names: len(names) * _apart(places[names], len(names)) for names in sequences}
    sequences.sort(key=lambda names: (_subject(names) not in known, -explained[names], places[names][0], names))
    used: set[tuple[int, int]] = set()
    repeated: list[tuple[tuple[str, ...], list[Run]]] = []
    for names in sequences:
        runs, taken = _runs(streams, places[names], len(names), used)
        if len(runs) >= repeats or (runs and _subject(names) in known):
            repeated.append((names, runs))
            used |= taken
    return repeated


def _apart(places: Sequence[tuple[int, int]], length: int) -> int:
    """Count the places that do not overlap."""
    count, taken = 0, (-1, 0)
    for stream, start in places:
        if (stream, start) >= taken or stream != taken[0]:
            count, taken = count + 1, (stream, start + length)
    return count


def _is_a_task(names: Sequence[str], streams: Sequence[Sequence[Step]], place: tuple[int, int]) -> bool:
    """Different steps, at least one that does something in particular, and not a shorter sequence over and over."""
    stream, start = place
    steps = streams[stream][start : start + len(names)]
    repeats_itself = any(names[part:] == names[:-part] for part in range(1, len(names) // 2 + 1))
    return len(set(names)) > 1 and any(step.is_specific for step in steps) and not repeats_itself


def _runs(
    streams: Sequence[Sequence[Step]], places: Sequence[tuple[int, int]], length: int, used: set[tuple[int, int]]
) -> tuple[list[Run], set[tuple[int, int]]]:
    runs: list[Run] = []
    taken: set[tuple[int, int]] = set()
    retried = (-1, -1)  # where a further attempt would begin
    for stream, start in places:
        own = {(stream, place) for place in range(start, start + length)}
        if own & used or own & taken:
            continue
        taken |= own
        steps = tuple(streams[stream][start : start + length])
        run = Run(steps, all(step.worked for step in steps))
        if (stream, start) == retried:
            runs.pop()
        runs.append(run)
        retried = (-1, -1) if run.worked else (stream, start + length)
    return runs, taken


def _learned(subject: str, runs: Sequence[Run], derive_id: DeriveId) -> MemoryItem | None:
    share = min(len(runs) / _FULL_REPEATS, 1.0)
    worked = sum(run.worked for run in runs) / len(runs)
    confidence = round(0.4 * share + 0.6 * worked, 4)
    if confidence <= _SKILL_ABOVE:
        return None
    newest = max(runs, key=lambda run: run.ended)
    last = newest.steps[-1].item
    text = _text(runs)
    return MemoryItem(
        id=derive_id(last.created_ms, "skill", (subject,), 1),
        type=ItemType.SKILL,
        text=text,
        created_ms=last.created_ms,
        store=SEMANTIC,
        user=last.user,
        project=last.project if all(run.steps[0].item.project == last.project for run in runs) else "",
        tokens_estimate=count_tokens(text),
        importance=0.7,
        confidence=confidence,
        source=Source.SYSTEM,
        trust=min(step.item.trust for run in runs for step in run.steps),
        lifecycle=Lifecycle.FROZEN,
        tags=("skill",),
        metadata=_metadata(newest, len(runs), sum(not run.worked for run in runs)),
        position=last.position,
        subject=subject,
        sources=_sources(runs),
    )


def _practised(skill: MemoryItem, runs: Sequence[Run], derive_id: DeriveId) -> MemoryItem | None:
    """The next version of a known skill, if it was used since."""
    seen = (_number(skill, "seen_position"), _number(skill, "seen_ms"))
    fresh = sorted((run for run in runs if run.ended > seen), key=lambda run: run.ended)
    if not fresh:
        return None
    confidence = faded(skill, fresh[0].steps[0].item.created_ms).confidence
    for run in fresh:
        confidence += _SUCCESS if run.worked else -_FAILURE
        confidence = min(max(confidence, 0.0), 1.0)
    last = fresh[-1].steps[-1].item
    failed = sum(not run.worked for run in fresh)
    return replace(
        skill,
        id=derive_id(last.created_ms, "skill", (skill.subject,), skill.version + 1),
        created_ms=last.created_ms,
        position=last.position,
        confidence=round(confidence, 4),
        version=skill.version + 1,
        lineage_ids=(*skill.lineage_ids, skill.id),
        trust=min([skill.trust, *(step.item.trust for run in fresh for step in run.steps)]),
        metadata=_metadata(fresh[-1], _number(skill, "runs") + len(fresh), _number(skill, "failures") + failed),
        sources=tuple(dict.fromkeys((*skill.sources, *_sources(fresh)))),
    )


def _metadata(newest: Run, runs: int, failures: int) -> dict[str, int]:
    position, ended_ms = newest.ended
    return {
        "runs": runs, "failures": failures, "used_ms": ended_ms, "seen_position": position, "seen_ms": ended_ms,
    }  # fmt: skip


def _text(runs: Sequence[Run]) -> str:
    """Write the steps as a numbered list."""
    first = runs[0].steps
    title = ", then ".join(step.name.partition(" ")[2] or step.name for step in first)
    columns = zip(*(run.steps for run in runs), strict=True)
    return "\n".join([title, *(f"{place}. {shown(column)}" for place, column in enumerate(columns, 1))])


def _sources(runs: Sequence[Run]) -> tuple[str, ...]:
    newest = sorted(runs, key=lambda run: run.ended)[-_KEPT_RUNS:]
    return tuple(dict.fromkeys(step.item.id for run in newest for step in run.steps))


def _subject(names: Sequence[str]) -> str:
    return "skill:" + " > ".join(names)


def _number(skill: MemoryItem, name: str) -> int:
    value = skill.metadata.get(name)
    return value if isinstance(value, int) else 0
