"""What an agent is told with a prompt, and when it opens a file: what is known and fits, once, and nothing else."""

from pathlib import Path

import pytest

from reverie.memory import Memory
from reverie.testing import FakeEnv
from support.hooks import PROJECT, say, spool_event

STAGING = "The staging server is at staging.example.org:8443, behind the VPN."


@pytest.fixture
def known(memory: Memory, env: FakeEnv) -> Memory:
    """A memory that was told something three weeks and twenty sessions ago."""
    say(memory, STAGING, "s-first")
    say(memory, "Never edit schema.gen.ts by hand, it is generated from the protobuf files.", "s-first")
    for number in range(20):
        env.sleep(86_400)
        say(memory, f"The cart of screen {number} shows {number + 3} items after a reload.", f"s-{number}")
    begin(memory, "now")
    return memory


def begin(memory: Memory, session: str) -> None:
    spool_event(memory, "SessionStart", session, source="startup")
    memory.parts.background.drain_spool()
    memory.context(PROJECT, session)


def test_a_fact_is_told_with_the_prompt_that_needs_it_and_only_once(known: Memory) -> None:
    told = known.context(PROJECT, "now", prompt="Add a health check for the staging server.")

    assert "staging.example.org:8443" in told
    assert told.startswith("<reverie-context>")
    assert "staging.example.org" not in known.context(PROJECT, "now", prompt="Where is the staging server?")


def test_another_session_is_told_it_again(known: Memory) -> None:
    known.context(PROJECT, "now", prompt="Add a health check for the staging server.")
    begin(known, "later")

    assert "staging.example.org" in known.context(PROJECT, "later", prompt="Where is the staging server?")


def test_what_a_session_said_itself_is_not_told_to_it(memory: Memory) -> None:
    begin(memory, "now")
    say(memory, STAGING, "now")

    assert "staging.example.org" not in memory.context(PROJECT, "now", prompt="Where is the staging server?")


def test_what_belongs_to_another_project_is_not_told(known: Memory) -> None:
    assert "staging.example.org" not in known.context("/projects/other", None, prompt="Where is the staging server?")


def test_a_prompt_that_a_host_wrote_is_not_answered(known: Memory) -> None:
    said = "<task-notification>Where is the staging server?</task-notification>"

    assert known.context(PROJECT, "now", prompt=said) == ""


def test_what_is_superseded_or_forgotten_is_not_told(known: Memory) -> None:
    known.forget('text:"staging.example.org"')

    assert "staging.example.org" not in known.context(PROJECT, "now", prompt="Where is the staging server?")


def test_a_rule_about_a_file_is_told_when_the_file_is_opened_and_only_then(known: Memory) -> None:
    begin(known, "editing")
    path = f"{PROJECT}/src/db/schema.gen.ts"

    assert known.context(PROJECT, "editing", path=f"{PROJECT}/src/db/query.ts") == ""
    assert "Never edit schema.gen.ts" in known.context(PROJECT, "editing", path=path)
    assert known.context(PROJECT, "editing", path=path) == "", "once a session"


def test_it_can_be_asked_what_was_told_and_why(known: Memory) -> None:
    known.context(PROJECT, "now", prompt="Add a health check for the staging server.")
    known.context(PROJECT, "now", prompt="<system-reminder>x</system-reminder>")

    told = ["\n".join(one.lines()) for one in known.parts.traces.told_to("now")]

    assert len(told) == 1
    assert "Add a health check" in told[0]
    assert "staging.example.org" in told[0]


def test_huge_and_odd_prompts_are_answered_or_met_with_silence(known: Memory) -> None:
    for prompt in ("x" * 500_000, "\x00\ud800", "   ", "<reverie-context>a</reverie-context>", "?!"):
        assert isinstance(known.context(PROJECT, "now", prompt=prompt), str)
    assert known.context(PROJECT, "now", path="\x00") == ""
    assert known.context("", None, path=str(Path("/"))) == ""
