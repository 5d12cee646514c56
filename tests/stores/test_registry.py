"""Memory types are registered at run time, and a stranger's joins in like one of the house."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from reverie.errors import BadInput, UnknownMemoryType
from reverie.ports import MemoryType, StoreView
from reverie.records import Candidate, Capacity, Filters, ItemType, MemoryItem, ReadContext, Stored
from reverie.settings import Settings, StoreSettings
from reverie.stores.type_registry import TypeRegistry, shipped
from reverie.testing import MemoryStoreView
from stores.made import NOW_MS, derive_id, item


def house() -> TypeRegistry:
    return TypeRegistry(shipped(StoreSettings(), derive_id))


class Glossary:
    """A fifth memory type: words of the trade and what they mean. It finds them by name, not by search."""

    name = "glossary"

    def accepts(self, item: MemoryItem) -> bool:
        return "definition" in item.tags

    def memorize(self, item: MemoryItem, view: StoreView) -> Stored:
        view.put(item)
        return Stored((item.id,))

    def remember(self, context: ReadContext, view: StoreView) -> list[Candidate]:
        asked = context.query_text.casefold()
        defined = view.items(context.filters)
        return [
            Candidate(item=one, score=1.0, parts={"named": 1.0}) for one in defined if one.subject.casefold() in asked
        ]

    def forget(self, filters: Filters, view: StoreView, at_ms: int, *, hard: bool = False) -> int:
        return view.remove([one.id for one in view.items(filters)], at_ms, hard=hard)

    def summarize(self, view: StoreView, limit_tokens: int) -> str:
        return ", ".join(one.subject for one in view.items(limit=limit_tokens // 4))

    def capacity(self, view: StoreView) -> Capacity:
        return view.capacity()


def test_a_fifth_memory_type_joins_without_touching_the_core() -> None:
    registry = TypeRegistry([Glossary(), *house()])
    views = {name: MemoryStoreView(name) for name in registry.names}
    defined = item(1, "SKU: a thing one can order.", subject="SKU", tags=("definition",))
    said = item(2, "the sku of the mug is 77", type=ItemType.USER_MESSAGE)
    for name, one in (("glossary", defined), ("episodic", said)):
        assert next(memory_type.name for memory_type in registry if memory_type.accepts(one)) == name
        registry.get(name).memorize(one, views[name])

    context = ReadContext(query_text="what is a sku", at_ms=NOW_MS)
    found = {one.name: one.remember(context, views[one.name]) for one in registry}

    assert list(found) == ["glossary", "working", "episodic", "semantic", "conversation"]
    assert registry.others == ["glossary"]
    assert [one.item for one in found["glossary"]] == [defined]
    assert [one.item.id for one in found["episodic"]] == ["i0002"]
    assert registry.get("glossary").forget(Filters(), views["glossary"], NOW_MS) == 1


def test_the_four_of_the_house_keep_their_order_and_are_what_the_setting_names() -> None:
    memory_types: Sequence[MemoryType] = list(house())

    assert [one.name for one in memory_types] == ["working", "episodic", "semantic", "conversation"]
    assert tuple(house().names) == Settings().memory_types
    assert house().chosen(("semantic", "working")).names == ["semantic", "working"]


@pytest.mark.parametrize(
    ("type_", "home"),
    [
        (ItemType.THOUGHT, "working"),
        (ItemType.PLAN, "working"),
        (ItemType.USER_MESSAGE, "episodic"),
        (ItemType.TOOL_RESULT, "episodic"),
        (ItemType.ERROR, "episodic"),
        (ItemType.FACT, "semantic"),
        (ItemType.SKILL, "semantic"),
        (ItemType.SUMMARY, "semantic"),
    ],
)
def test_one_of_the_house_accepts_an_item_by_its_type(type_: ItemType, home: str) -> None:
    assert [one.name for one in house() if one.accepts(item(1, type=type_))] == [home]


def test_every_type_of_item_is_accepted_by_one_of_the_house() -> None:
    for type_ in ItemType:
        assert len([one for one in house() if one.accepts(item(1, type=type_))]) == 1


def test_items_of_a_type_that_nobody_registered_are_kept_plainly_until_somebody_does() -> None:
    registry, view = house(), MemoryStoreView("glossary")
    registry.adopt("glossary", StoreSettings())
    plain = registry.get("glossary")
    stored = plain.memorize(item(1, "SKU: a thing one can order", tags=("definition",)), view)

    assert stored == Stored(("i0001",))
    assert not plain.accepts(item(1, tags=("definition",)))
    assert [one.item.id for one in plain.remember(ReadContext(query_text="what is a sku: order", at_ms=0), view)]
    assert plain.forget(Filters(tags=("definition",)), view, NOW_MS) == 1

    registry.register(glossary := Glossary())
    assert registry.get("glossary") is glossary
    registry.adopt("glossary", StoreSettings())
    assert registry.get("glossary") is glossary


def test_an_unknown_memory_type_is_an_error_that_names_the_nearest() -> None:
    with pytest.raises(UnknownMemoryType, match='no memory type "semntic"; did you mean "semantic"'):
        house().get("semntic")
    with pytest.raises(UnknownMemoryType, match="known are working"):
        house().get("xyz")


def test_two_memory_types_cannot_have_one_name() -> None:
    registry = house()
    registry.register(next(iter(registry)))  # the same once more is no harm

    with pytest.raises(BadInput, match='there is a memory type "working" already'):
        registry.register(next(iter(house())))


def test_what_is_no_memory_type_is_refused_with_what_it_lacks() -> None:
    with pytest.raises(BadInput, match="it has no accepts, memorize, remember"):
        TypeRegistry([MemoryStoreView()])  # type: ignore[list-item]


def installed(folder: Path, monkeypatch: pytest.MonkeyPatch, code: str, entry: str) -> None:
    """A package as pip would have left it."""
    module = folder.name.replace("-", "_")
    (folder / f"{module}_plugin.py").write_text(code)
    info = folder / f"{module}-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {module}\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[reverie.memory_types]\n{entry} = {module}_plugin:make\n")
    monkeypatch.syspath_prepend(str(folder))


def test_an_installed_package_offers_a_memory_type_by_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    code = "from stores.test_registry import Glossary\n\ndef make():\n    return Glossary()\n"
    installed(tmp_path, monkeypatch, code, "glossary")
    registry = house()

    assert "glossary" not in registry
    assert registry.get("glossary").name == "glossary"
    assert registry.names[-1] == "glossary"
    with pytest.raises(UnknownMemoryType, match='did you mean "glossary"'):
        house().get("glosary")


def test_an_entry_point_under_a_wrong_name_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    code = "from stores.test_registry import Glossary\n\ndef make():\n    return Glossary()\n"
    installed(tmp_path, monkeypatch, code, "lexicon")

    with pytest.raises(BadInput, match=r"""the entry point "lexicon" .* called 'glossary'"""):
        house().get("lexicon")
