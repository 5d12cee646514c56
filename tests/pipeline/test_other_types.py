"""Other people's memory types: asked by every way to ask, told to forget, and summarised; also one with its own file."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from reverie import Memory
from reverie.ports import StoreView
from reverie.records import Candidate, Capacity, Filters, ItemType, MemoryItem, ReadContext, Stored
from reverie.testing import FakeEnv


class Recipes:
    """Keeps its items in a file of its own, and nothing in the view."""

    name = "recipes"

    def __init__(self, path: Path) -> None:
        self.path = path
        self.is_broken = False

    def kept(self) -> dict[str, dict[str, str]]:
        return json.loads(self.path.read_text()) if self.path.exists() else {}

    def items(self) -> list[MemoryItem]:
        return [
            MemoryItem(id=one, type=ItemType.FACT, created_ms=0, store=self.name, **fields)  # type: ignore[arg-type]
            for one, fields in self.kept().items()
        ]

    def accepts(self, item: MemoryItem) -> bool:
        return "recipe" in item.tags

    def memorize(self, item: MemoryItem, view: StoreView) -> Stored:
        self.path.write_text(json.dumps({**self.kept(), item.id: {"text": item.text, "session": item.session}}))
        return Stored((item.id,))

    def remember(self, context: ReadContext, view: StoreView) -> list[Candidate]:
        asked = context.query_text.casefold().strip("?").split()
        return [Candidate(item=one, score=2.0) for one in self.items() if set(asked) & set(one.text.casefold().split())]

    def forget(self, filters: Filters, view: StoreView, at_ms: int, *, hard: bool = False) -> int:
        if self.is_broken:
            raise OSError("the kitchen is closed")
        gone = {one.id for one in self.items() if filters.admits(one)}
        self.path.write_text(json.dumps({one: fields for one, fields in self.kept().items() if one not in gone}))
        return len(gone)

    def summarize(self, view: StoreView, limit_tokens: int) -> str:
        return f"{len(self.kept())} recipes"

    def capacity(self, view: StoreView) -> Capacity:
        return Capacity(len(self.kept()), 0)


@pytest.fixture
def recipes(tmp_path: Path) -> Recipes:
    return Recipes(tmp_path / "recipes.json")


@pytest.fixture
def memory(tmp_path: Path, env: FakeEnv, recipes: Recipes) -> Iterator[Memory]:
    with Memory.open(tmp_path / "home", env=env) as memory:
        memory.register(recipes)
        yield memory


def keep(memory: Memory, text: str, session: str = "") -> str:
    return memory.memorize(text, tags=["recipe"], session=session).item_id


def test_every_way_to_ask_asks_it(memory: Memory) -> None:
    nata = keep(memory, "custard tart: eggs and cream")

    assert memory.search("custard tart?")[0].id == nata
    assert memory.parts.word_lookup.search("custard tart?")[0].id == nata
    assert "eggs and cream" in memory.assemble_context("custard tart?", 300).text
    assert memory.search("custard tart?", filters=["stores=semantic"]) == []
    assert memory.maintenance.summarize("recipes") == "1 recipes"
    assert memory.maintenance.summarize("semantic") == ""


@pytest.mark.parametrize("hard", [False, True])
@pytest.mark.parametrize("scope", ["text:custard", "id:ID", "session:kitchen", "store:recipes text:tart"])
def test_what_it_keeps_elsewhere_is_forgotten_for_good_or_not(
    memory: Memory, recipes: Recipes, scope: str, hard: bool, tmp_path: Path
) -> None:
    nata = keep(memory, "custard tart: eggs and cream", session="kitchen")
    rye = keep(memory, "rye bread: flour and water", session="bakery")
    scope = scope.replace("ID", nata)
    assert memory.forget(scope, dry_run=True, hard=hard).items == 1

    told = memory.forget(scope, hard=hard)

    assert (told.items, told.warnings) == (1, ())
    assert list(recipes.kept()) == [rye]
    memory.rebuild()
    assert list(recipes.kept()) == [rye], "a rebuild does not bring it back"
    assert memory.search("custard tart?") == []
    if hard:
        memory.engine.scrub()
        on_disk = b"".join(file.read_bytes() for file in tmp_path.rglob("*") if file.is_file())
        assert b"custard" not in on_disk


def test_all_means_its_items_too(memory: Memory, recipes: Recipes) -> None:
    keep(memory, "custard tart: eggs and cream")
    recipes.path.write_text(json.dumps({**recipes.kept(), "own": {"text": "never memorized here", "session": ""}}))

    assert memory.forget("all", hard=True).items == 2
    assert recipes.kept() == {}


def test_one_that_cannot_forget_is_named(memory: Memory, recipes: Recipes) -> None:
    keep(memory, "custard tart: eggs and cream")
    recipes.is_broken = True

    told = memory.forget("text:custard", hard=True)

    assert told.warnings == ("recipes memory has not forgotten it: OSError: the kitchen is closed; forget it again",)
    recipes.is_broken = False
    assert memory.forget("text:custard", hard=True).items == 1
    assert recipes.kept() == {}
