"""The evaluation data as it is on disk -> conversations of memory items, and questions with their evidence."""

import gzip
import json
import os
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from reverie.records import EPISODIC, ItemType, MemoryItem

DATA = Path(os.environ.get("REVERIE_DATA", Path(__file__).parents[2] / "shared" / "data"))
_DAY_MS = 86_400_000


@dataclass(frozen=True, slots=True)
class Asking:
    """A question, when it is asked, and the turns that answer it."""

    id: str
    conversation: str
    text: str
    answer: str
    category: str
    at_ms: int
    evidence: frozenset[str]


@dataclass(frozen=True, slots=True)
class Corpus:
    """One set: the turns of each conversation in order, and the questions that can be answered."""

    name: str
    turns: dict[str, list[MemoryItem]]
    questions: list[Asking]


def corpus(name: str) -> Corpus | None:
    """A set by its folder's name; None if it is not there."""
    folder = DATA / name
    if not folder.is_dir():
        return None
    turns: dict[str, list[MemoryItem]] = defaultdict(list)
    for position, row in enumerate(_rows(folder / "memories.jsonl")):
        turns[row["conversation"]].append(_item(row, position))
    last = {name: max(item.created_ms for item in items) for name, items in turns.items()}
    return Corpus(name, dict(turns), [_asking(row, last) for row in _rows(folder / "questions.jsonl") if _counts(row)])


def _rows(path: Path) -> Iterator[dict[str, Any]]:
    packed = path.with_name(path.name + ".gz")
    with gzip.open(packed, "rt", encoding="utf-8") if packed.exists() else path.open(encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)


def _ms(text: str) -> int:
    return int(datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp() * 1000)


def _item(row: dict[str, Any], position: int) -> MemoryItem:
    text = f"{row['text']} {row['image_caption']}" if row.get("image_caption") else row["text"]
    kind = ItemType.ASSISTANT_MESSAGE if row["speaker"] == "assistant" else ItemType.USER_MESSAGE
    return MemoryItem(
        id=row["turn_id"],
        type=kind,
        text=text,
        created_ms=_ms(row["timestamp"]),
        store=EPISODIC,
        session=row["session"],
        speaker=row["speaker"],
        position=position,
    )


def _counts(row: dict[str, Any]) -> bool:
    return bool(row["answerable"] and row["evidence"] and row["category"] != "adversarial")


def _asking(row: dict[str, Any], last: dict[str, int]) -> Asking:
    asked_at = row.get("question_timestamp")
    at_ms = _ms(asked_at) if asked_at else last[row["conversation"]] + _DAY_MS
    return Asking(
        row["id"],
        row["conversation"],
        row["question"],
        str(row["answer"]),
        row["category"],
        at_ms,
        frozenset(row["evidence"]),
    )
