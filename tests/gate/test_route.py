"""Routing: by type, by content where the type says little, and never to a memory that is not there."""

from pathlib import Path

import pytest

from gate.given import item
from reverie.errors import UnknownMemoryType
from reverie.gate.route import BY_TYPE, distilled, route
from reverie.records import CONVERSATION, EPISODIC, SEMANTIC, WORKING, ItemType, MemoryItem

ALL = (WORKING, EPISODIC, SEMANTIC, CONVERSATION)
LINES = [
    (line[0] == "+", line[2:])
    for line in (Path(__file__).parent / "skill_lines.txt").read_text(encoding="utf-8").splitlines()
]


def test_every_type_of_item_has_a_home() -> None:
    assert set(BY_TYPE) == set(ItemType)


@pytest.mark.parametrize(
    ("kind", "home"),
    [
        (ItemType.THOUGHT, WORKING),
        (ItemType.PLAN, WORKING),
        (ItemType.METRIC, WORKING),
        (ItemType.USER_MESSAGE, EPISODIC),
        (ItemType.TOOL_RESULT, EPISODIC),
        (ItemType.ERROR, EPISODIC),
        (ItemType.SKILL, SEMANTIC),
        (ItemType.PREFERENCE, SEMANTIC),
        (ItemType.POINTER, SEMANTIC),
    ],
)
def test_an_item_goes_where_its_type_belongs(kind: ItemType, home: str) -> None:
    assert route(item("whatever it says", kind), "auto", ALL).store == home


def test_skills_reach_semantic_memory_and_hardly_anything_else_does() -> None:
    sent = [
        (skill, text) for skill, text in LINES if route(item(text, ItemType.OBSERVATION), "auto", ALL).store == SEMANTIC
    ]
    right = sum(skill for skill, _ in sent)

    assert len(LINES) >= 150
    assert right / len(sent) > 0.95, [text for skill, text in sent if not skill]
    assert right / sum(skill for skill, _ in LINES) > 0.9, [
        text for skill, text in LINES if skill and not distilled(text)
    ]


def test_an_item_goes_where_it_asks_to_be() -> None:
    assert route(item("a fact"), WORKING, ALL).store == WORKING


def test_an_unknown_memory_is_refused_with_the_nearest_name() -> None:
    with pytest.raises(UnknownMemoryType, match='no memory type "semntic"; did you mean "semantic"'):
        route(item("a fact"), "semntic", ALL)
    with pytest.raises(UnknownMemoryType, match="there are working"):
        route(item("a fact"), "xyz", ALL)


def test_a_memory_that_is_switched_off_hands_its_items_to_the_next() -> None:
    assert route(item("a fact"), "auto", (WORKING, EPISODIC)).store == EPISODIC
    with pytest.raises(UnknownMemoryType):
        route(item("a fact"), "auto", ())


class Recipes:
    """A stranger's memory type, as far as the gate sees it."""

    name = "recipes"

    def accepts(self, item: MemoryItem) -> bool:
        return "recipe" in item.tags


def test_a_strangers_memory_type_takes_what_it_accepts() -> None:
    known = (*ALL, "recipes")

    assert route(item("bake at 200", tags=("recipe",)), "auto", known, [Recipes()]).store == "recipes"  # type: ignore[list-item]
    assert route(item("bake at 200"), "auto", known, [Recipes()]).store == SEMANTIC  # type: ignore[list-item]
    assert route(item("bake at 200"), "recipes", known).store == "recipes"
