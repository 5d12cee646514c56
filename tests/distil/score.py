"""Judges an extractor by the labelled turns.

A learning that was extracted is right if a label of that turn has its type and all of the label's `must` words
stand in its text, whatever their case. A label is matched at most once; every other extraction is a false positive.
"""

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

Turn: TypeAlias = Mapping[str, Any]
Extract: TypeAlias = Callable[[Turn], Iterable[tuple[str, str]]]

LABELLED = Path(__file__).with_name("labelled_turns.jsonl")  # what the rules were written with
# Turns that no rule was written or repaired with, each file written before the rules had seen it. They stay honest only
# as long as nobody looks up which of them fail: to improve a rule, take the labelled ones or write new sentences.
UNSEEN = tuple(Path(__file__).with_name(f"{name}_turns.jsonl") for name in ("unseen", "sealed", "blind", "fresh"))
TYPES = ("preference", "correction", "fact", "action", "pattern")


@dataclass(slots=True)
class Tally:
    """How often the extractor was right, was wrong, and said nothing."""

    hits: int = 0
    wrong: int = 0
    missed: int = 0

    @property
    def precision(self) -> float:
        return self.hits / (self.hits + self.wrong) if self.hits + self.wrong else 1.0

    @property
    def recall(self) -> float:
        return self.hits / (self.hits + self.missed) if self.hits + self.missed else 1.0


@dataclass(frozen=True, slots=True)
class Finding:
    """One false positive or one miss: the turn, its group, and what was said or should have been."""

    turn: str
    group: str
    type: str
    text: str


@dataclass(slots=True)
class Score:
    """The whole judgement; `print(score.table())` shows it."""

    total: Tally = field(default_factory=Tally)
    by_type: dict[str, Tally] = field(default_factory=lambda: {name: Tally() for name in TYPES})
    false_positives: list[Finding] = field(default_factory=list)
    misses: list[Finding] = field(default_factory=list)

    @property
    def precision(self) -> float:
        return self.total.precision

    @property
    def recall(self) -> float:
        return self.total.recall

    def table(self) -> str:
        lines = [f"{'type':<12}{'right':>7}{'wrong':>7}{'missed':>8}{'precision':>11}{'recall':>9}"]
        for name, tally in [*self.by_type.items(), ("all", self.total)]:
            counts = f"{tally.hits:>7}{tally.wrong:>7}{tally.missed:>8}"
            lines.append(f"{name:<12}{counts}{tally.precision:>11.1%}{tally.recall:>9.1%}")
        return "\n".join(lines)


def load(half: str = "all") -> list[dict[str, Any]]:
    """The labelled turns of one half (`dev`, `test`), of both (`all`), or those of the other files (`unseen`)."""
    if half not in ("dev", "test", "all", "unseen"):
        raise ValueError(f"no such half: {half!r}")
    turns = read(*UNSEEN) if half == "unseen" else read(LABELLED)
    return [turn for turn in turns if half in ("all", turn["half"])]


def read(*files: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for file in files for line in file.read_text(encoding="utf-8").splitlines()]


def fits(label: Mapping[str, Any], type_: str, text: str) -> bool:
    """Whether an extraction says what the label says.

    >>> fits({"type": "preference", "must": ["pnpm", "npm"]}, "preference", "Always use PNPM here, not npm")
    True
    >>> fits({"type": "preference", "must": ["pnpm"]}, "fact", "Always use pnpm here")
    False
    """
    folded = text.casefold()
    return bool(label["type"] == type_) and all(word.casefold() in folded for word in label["must"])


def score(extract: Extract, half: str = "dev") -> Score:
    """Runs the extractor over one half."""
    return judge(extract, load(half))


def judge(extract: Extract, turns: Iterable[Turn]) -> Score:
    """Runs the extractor over some turns. It is shown each without its labels, its group and its half."""
    result = Score()
    for turn in turns:
        shown = {key: value for key, value in turn.items() if key not in ("learnings", "group", "half")}
        where = turn["id"], turn["group"]
        open_labels = sorted(turn["learnings"], key=lambda label: -len(label["must"]))
        for type_, text in extract(shown):
            kind = result.by_type.setdefault(type_, Tally())
            label = next((label for label in open_labels if fits(label, type_, text)), None)
            if label is None:
                result.false_positives.append(Finding(*where, type_, text))
            else:
                open_labels.remove(label)
            for tally in (kind, result.total):
                tally.hits += label is not None
                tally.wrong += label is None
        for label in open_labels:
            result.misses.append(Finding(*where, label["type"], label["text"]))
            for tally in (result.by_type[label["type"]], result.total):
                tally.missed += 1
    return result
