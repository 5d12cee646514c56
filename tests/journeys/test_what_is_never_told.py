"""What a person never wants kept is told to no agent: not before the gate has looked at it, and not after."""

from pathlib import Path

import pytest

from reverie.memory import Memory
from reverie.testing import FakeEnv
from support.hooks import say

CARD, IBAN = "4111 1111 1111 1111", "DE89370400440532013000"
SOUL = '# Soul\n\n## Memory\n\n- Never keep: salaries; "Project Nightingale"\n'


def told(memory: Memory) -> str:
    """Whatever an agent or a person is shown of what was learned."""
    user = memory.parts.profile.read(memory.workspace.user)
    learned = "\n".join(it.text for it in memory.engine.learnings.all())
    return "\n".join([memory.context(), user, learned, *(it.text for it in memory.actions.list())])


@pytest.mark.parametrize("again", [False, True], ids=["at once", "after a rebuild"])
def test_numbers_that_nobody_needs_are_masked_in_what_is_learned(tmp_path: Path, again: bool) -> None:
    with Memory.open(tmp_path, env=FakeEnv()) as memory:
        say(memory, f"Always bill to card {CARD}.", session="s1")
        say(memory, f"Remind me tomorrow to wire the rent to {IBAN}.", session="s2")
        memory.note(f"The company card is {CARD} and the IBAN is {IBAN}.")
        memory.parts.background.drain_spool()
        memory.parts.background.distil()
        if again:
            memory.rebuild()

        shown = told(memory)
        assert CARD not in shown
        assert IBAN not in shown
        assert "Always bill to card [card]" in shown
        assert CARD in "".join(it.text for it in memory.engine.log.read()), "the log keeps what was said"


def test_what_soul_md_forbids_is_not_even_learned(tmp_path: Path) -> None:
    with Memory.open(tmp_path, env=FakeEnv()) as memory:
        memory.workspace.soul.write_text(SOUL)
        say(memory, "We deploy Project Nightingale with make fly.", session="s1")
        say(memory, "Remind me tomorrow to email the Project Nightingale team.", session="s2")
        say(memory, "Our deploy branch is release/2.", session="s3")

        shown = told(memory).replace(SOUL.strip(), "")
        assert "Nightingale" not in shown
        assert "release/2" in shown


def test_a_type_that_soul_md_forbids_is_not_learned(tmp_path: Path) -> None:
    with Memory.open(tmp_path, env=FakeEnv()) as memory:
        memory.workspace.soul.write_text("# Soul\n\n## Memory\n\n- Never keep: preferences\n")
        say(memory, "Always use tabs for indentation.", session="s1")

        assert memory.engine.learnings.all() == []


def test_what_is_forbidden_later_does_not_change_what_the_others_are(tmp_path: Path) -> None:
    with Memory.open(tmp_path, env=FakeEnv()) as memory:
        say(
            memory, "I prefer tabs over spaces. I prefer answers in German. My favourite editor is Helix.", session="s1"
        )
        user = memory.workspace.user
        user.write_text("".join(line for line in user.read_text().splitlines(True) if "German" not in line))
        memory.parts.profile.sync()
        memory.workspace.soul.write_text("# Soul\n\n## Memory\n\n- Never keep: tabs\n")
        memory.rebuild()

        assert [it.text for it in memory.engine.learnings.preferences()] == ["My favourite editor is Helix"]
