"""A question that was asked before is no answer: asking again finds what was told, not the question."""

from collections.abc import Iterator

import pytest

from reverie import Memory
from reverie.testing import FakeEnv

SUBJECTS = (
    "staging database", "billing worker", "search cluster", "login page", "image proxy", "mail relay", "audit log",
    "nightly backup", "price importer", "session cache",
)  # fmt: skip
PROPERTIES = ("port", "owner", "region", "password rotation", "release day")
FACTS = {
    f"What is the {quality} of the {subject}?": f"The {quality} of the {subject} is {subject.split()[0]}-{quality[:3]}-7."
    for subject in SUBJECTS
    for quality in PROPERTIES
}
REPLIES = ("Let me look that up.", "I do not know that yet.", "I will check the configuration.")


@pytest.fixture(scope="module")
def memory(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Memory]:
    """Fifty facts that were told once, and a question about each that was asked in three sessions since."""
    with Memory.open(tmp_path_factory.mktemp("asked") / "home", env=FakeEnv()) as memory:
        memory.observe({"text": fact, "session": f"told {number}"} for number, fact in enumerate(FACTS.values()))
        for number, reply in enumerate(REPLIES):
            for question in FACTS:
                memory.observe({"text": question, "session": f"asked {number}"})
                memory.observe({"text": reply, "kind": "assistant_message", "session": f"asked {number}"})
                memory.observe({"text": "ok, thanks", "session": f"asked {number}"})
        memory.maintenance.refresh_index()
        yield memory


def test_fifty_questions_asked_thrice_find_their_answers(memory: Memory) -> None:
    first = {question: memory.search(question, limit=3)[0].text for question in FACTS}

    assert first == FACTS


def test_what_is_packed_has_the_answer_and_no_question(memory: Memory) -> None:
    for question, fact in FACTS.items():
        told = memory.assemble_context(question, 150).text
        memory.commit()

        assert fact in told
        assert "?" not in told
        assert "thanks" not in told


def test_a_question_stays_in_the_log_and_around_what_was_said_then(memory: Memory) -> None:
    question = next(iter(FACTS))
    logged = [one for one in memory.engine.log.read(session="asked 0") if one.text == question]

    assert len(logged) == 1
    assert question in [hit.text for hit in memory.items.timeline(logged[0].id)]


def test_by_words_alone_as_well(memory: Memory) -> None:
    for question, fact in FACTS.items():
        assert memory.parts.word_lookup.search(question, limit=1)[0].text == fact
