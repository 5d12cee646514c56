"""What was learned and which skills there are, by kind; a tokenizer of one's own; what a hit can include."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from reverie.errors import BadInput
from reverie.language.tokens import count_tokens
from reverie.memory import Memory
from reverie.records import LearningType
from reverie.testing import FakeEnv
from support.hooks import PROJECT, say

SAID = ("I prefer tabs for indentation.", "The staging port is 8080.", "Call me Sam.")


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with Memory.open(tmp_path / "home", env=FakeEnv()) as opened:
        for number, text in enumerate(SAID):
            say(opened, text, session=f"s{number}")
        yield opened


def test_learnings_are_listed_newest_first_and_by_kind(memory: Memory) -> None:
    found = memory.learnings.list()

    assert [it.learned_ms for it in found] == sorted((it.learned_ms for it in found), reverse=True)
    kinds = {it.type for it in found}
    assert {LearningType.PREFERENCE, LearningType.FACT} <= kinds
    for kind in kinds:
        assert list(memory.learnings.list(kind)) == [it for it in found if it.type is kind]
    assert list(memory.learnings.list("preference", limit=1)) == [it for it in found if it.type == "preference"][:1]
    assert memory.learnings.list(since_ms=memory.env.now_ms() + 1) == []
    assert {it.project for it in memory.learnings.list(project=PROJECT)} <= {PROJECT, ""}


def test_a_learning_is_got_by_its_id_also_when_it_was_superseded(memory: Memory) -> None:
    (tabs,) = memory.learnings.search("tabs")
    say(memory, "I prefer spaces for indentation.", session="s9")

    assert tabs.id not in {it.id for it in memory.learnings.list()}
    (found,) = memory.learnings.get(tabs.id)
    assert found.superseded_by
    with pytest.raises(BadInput, match="no learning has the id nonsense"):
        memory.learnings.get([tabs.id, "nonsense"])


def test_learnings_are_searched_by_kind(memory: Memory) -> None:
    assert [it.text for it in memory.learnings.search("staging port", "fact")] == ["The staging port is 8080"]
    assert memory.learnings.search("staging port", "preference") == []
    with pytest.raises(BadInput, match="'facts' is no kind of learning; there are fact, "):
        memory.learnings.search("staging port", "facts")


def test_another_users_learnings_are_not_ours(memory: Memory) -> None:
    ana = memory.of("ana")

    assert ana.learnings.list() == []
    with pytest.raises(BadInput):
        ana.learnings.get(memory.learnings.list()[0].id)


def test_skills_are_listed(memory: Memory) -> None:
    assert memory.skills.list() == []
    for number in range(4):
        for command in ("ruff format .", "pytest -q", "git commit -m done"):
            memory.track_tool_invocation("Bash", {"command": command}, "ok", session=f"t{number}")
        memory.commit()
    memory.maintenance.extract_skills()

    (skill, *_) = memory.skills.list()
    assert "pytest" in skill.text


# ---- a tokenizer of one's own


@pytest.mark.parametrize("tokenizer", [len, lambda text: len(text.split()), lambda text: 3 * count_tokens(text)])
@pytest.mark.parametrize("budget", [150, 400, 2_000])
def test_no_context_is_over_the_budget_by_a_tokenizer_of_ones_own(
    tmp_path: Path, tokenizer: Callable[[str], int], budget: int
) -> None:
    with Memory.open(tmp_path, env=FakeEnv(), tokenizer=tokenizer) as memory:
        memory.observe(
            f"Port {number} of staging is {8000 + number}. " + "It is used. " * number for number in range(60)
        )
        found = memory.assemble_context("which port does staging use?", budget)

        assert found.items
        assert tokenizer(found.text) <= found.tokens <= budget
        assert memory.get_budget_status().used_tokens == found.tokens


def test_a_tokenizer_that_counts_less_lets_more_in_and_rebuild_stays_the_same(tmp_path: Path) -> None:
    with Memory.open(tmp_path, env=FakeEnv()) as memory:
        memory.observe(f"Port {number} of staging is {8000 + number}." for number in range(60))
        ours = len(memory.assemble_context("which port does staging use?", 300).items)
        before = list(memory.engine.dump_derived())
    with Memory.open(tmp_path, env=FakeEnv(), tokenizer=lambda text: count_tokens(text) // 2) as memory:
        assert len(memory.assemble_context("which port does staging use?", 300).items) > ours
        memory.rebuild()
        assert list(memory.engine.dump_derived()) == before


# ---- what a hit can include


def test_a_hit_has_its_vector_and_words_only_when_they_are_asked_for(memory: Memory) -> None:
    (plain, *_) = memory.search("staging port")
    (whole, *_) = memory.search("staging port", include=["embedding", "sparse_terms"])
    embedder = memory.parts.index.embedder()

    assert embedder
    assert (plain.embedding, plain.sparse_terms) == (None, ())
    assert whole.embedding == pytest.approx(embedder.embed([whole.text])[0].tolist(), abs=1e-3)
    assert {"stage", "port", "8080"} <= set(whole.sparse_terms)
    assert plain.id == whole.id


def test_without_an_embedder_a_hit_has_no_vector(memory: Memory) -> None:
    (hit, *_) = memory.parts.word_lookup.search("staging port", include="embedding")

    assert hit.embedding is None


def test_what_a_hit_cannot_include_is_an_error(memory: Memory) -> None:
    with pytest.raises(BadInput, match="embedding and sparse_terms, not 'vector'"):
        memory.search("staging", include=["vector"])


def test_a_person_moves_a_learning_and_a_rebuild_keeps_the_move(memory: Memory) -> None:
    (tabs,) = memory.learnings.search("tabs")
    (port,) = memory.learnings.search("staging port")

    assert memory.learnings.move(tabs.id, personal=False).project == PROJECT
    assert memory.learnings.move(port.id, personal=True).project == ""
    assert memory.learnings.move(port.id, personal=True).project == "", "it is there already"

    before = [memory.learnings.get([tabs.id, port.id]), memory.items.list()]
    kept = memory.engine.learnings.kept_as([tabs.id, port.id])
    assert [item.project for item in memory.engine.items.get([kept[tabs.id], kept[port.id]])] == [PROJECT, ""]
    memory.maintenance.rebuild()
    assert [memory.learnings.get([tabs.id, port.id]), memory.items.list()] == before


def test_only_a_learning_can_be_moved(memory: Memory) -> None:
    with pytest.raises(BadInput, match="no learning has the id nonsense"):
        memory.learnings.move("nonsense", personal=True)


def test_what_is_learned_in_a_script_without_spaces_is_found_by_a_part_of_it(memory: Memory) -> None:
    say(memory, "生产库是 PostgreSQL 15，主从各一台", session="zh")
    say(memory, "在庫の担当は今井さんのチームです", session="ja")

    assert {"生产库是 PostgreSQL 15，主从各一台", "在庫の担当は今井さんのチームです"} <= {
        it.text for it in memory.learnings.list("fact")
    }
    assert memory.search("主从")[0].text == "生产库是 PostgreSQL 15，主从各一台"
    assert memory.search("担当")[0].text == "在庫の担当は今井さんのチームです"
