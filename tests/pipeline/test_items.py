"""Memories one by one: listed, changed by id and version, deleted; and users, who are listed and deleted whole."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from reverie.errors import BadInput, StaleVersion
from reverie.memory import Memory
from reverie.records import Trust
from reverie.testing import FakeEnv

KEY = "sk-ant-" + "api03-" + "Qx7Lm2Rv9Tz4Wk8Np3Yb6Hd1Gf5Js0AcEeUuIiOoXxCcVvBbNnMm"


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with Memory.open(tmp_path / "home", env=FakeEnv()) as memory:
        yield memory


def test_an_item_is_changed_by_id_and_version_and_stays_so_after_a_rebuild(memory: Memory) -> None:
    item_id = memory.memorize("The staging port is 8080", tags=["net"]).item_id

    first = memory.items.update(item_id, text="The staging port is 9090", importance=0.9, version=1)
    memory.items.update(item_id, metadata={"seen": "by Ana"}, version=first.version)
    memory.rebuild()

    [item] = memory.items.get([item_id])
    assert (item.text, item.importance, item.tags, item.version) == ("The staging port is 9090", 0.9, ("net",), 3)
    assert item.metadata["seen"] == "by Ana"
    assert [hit.id for hit in memory.search("staging port 9090")][:1] == [item_id]
    assert not [hit for hit in memory.search("8080") if "8080" in hit.text]


def test_who_has_an_old_version_is_told_so_and_changes_nothing(memory: Memory) -> None:
    item_id = memory.memorize("The staging port is 8080").item_id
    memory.items.update(item_id, importance=0.9)

    with pytest.raises(StaleVersion, match="version 2, not 1"):
        memory.items.update(item_id, text="nonsense", version=1)
    with pytest.raises(StaleVersion, match="version 2, not 1"):
        memory.items.delete(item_id, version=1)
    assert memory.items.get([item_id])[0].text == "The staging port is 8080"


def test_a_change_loses_its_secrets_and_never_raises_trust(memory: Memory) -> None:
    item_id = memory.memorize("The key of staging", trust="local_tool").item_id

    changed = memory.items.update(item_id, text=f"The key of staging is {KEY}")

    assert KEY not in changed.text
    assert changed.trust is Trust.LOCAL_TOOL
    assert memory.items.update(item_id, text="The key is in the vault", by="user").trust is Trust.PERSON


def test_what_was_said_cannot_be_changed(memory: Memory) -> None:
    said = memory.note("The staging port is 8080")

    with pytest.raises(BadInput, match="what was said"):
        memory.items.update(said, text="The staging port is 9090")


def test_items_are_listed_by_filters_as_a_plain_mapping(memory: Memory) -> None:
    memory.observe("The invoice is late", metadata={"channel": "mail", "priority": 2})
    memory.observe("The invoice is paid", metadata={"channel": "chat"})
    memory.memorize("Invoices are due in 30 days", tags=["money"])

    assert [one.text for one in memory.items.list({"metadata": {"channel": "mail"}})] == ["The invoice is late"]
    assert [one.text for one in memory.items.list({"tags": ["money"]})] == ["Invoices are due in 30 days"]
    assert [hit.text for hit in memory.search("invoice", filters={"metadata": {"channel": "chat"}})] == [
        "The invoice is paid"
    ]
    assert [hit.text for hit in memory.search("invoice", filters={"metadata": {"priority": 2}})] == [
        "The invoice is late"
    ]
    assert memory.assemble_context("when are invoices due?", filters={"tags": "money"}).items[0].item.tags == ("money",)
    with pytest.raises(BadInput, match='did you mean "project"'):
        memory.search("invoice", filters={"projekt": "/shop"})


def test_an_item_is_deleted_and_can_be_brought_back(memory: Memory) -> None:
    item_id = memory.memorize("The staging port is 8080").item_id

    assert memory.items.delete(item_id, version=1).items == 1
    assert item_id not in [hit.id for hit in memory.search("staging port")]
    assert memory.recover([item_id]) == 1


def test_a_user_is_deleted_with_everything_and_nobody_else_is_touched(memory: Memory) -> None:
    other = memory.of("ana")
    for mine, text in ((memory, "The harbour of Lisbon is blue"), (other, "The zebra of Nairobi is striped")):
        mine.observe(text, session="s")
        mine.memorize(f"Remember: {text}")
        mine.reminders.add(f"Remind: {text}", "tomorrow")
        mine.goals.add(f"Goal: {text}")
        mine.maintenance.refresh_index()
        mine.commit()
        mine.assemble_context(text, 100)
    before = list(memory.engine.dump_derived())
    assert memory.users.list() == ["ana", "local"]

    assert memory.users.delete("ana") > 5

    assert memory.users.list() == ["local"]
    assert list(memory.engine.dump_derived()) == before
    assert memory.search("harbour of Lisbon")
    assert memory.of("ana").search("zebra") == []
    assert [act[2] for act in memory.engine.log.acts(kind="delete user")] == ["ana"]
    memory.close()
    files = [file for file in memory.workspace.home.rglob("*") if file.is_file()]
    assert not [file.name for file in files if b"zebra" in file.read_bytes().lower()]


def test_the_owner_is_not_deleted_by_accident(memory: Memory) -> None:
    with pytest.raises(BadInput, match="owns this workspace"):
        memory.users.delete("local")
    with pytest.raises(BadInput, match='no user "ben"'):
        memory.users.delete("ben")
