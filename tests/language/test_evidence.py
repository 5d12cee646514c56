"""What tells something, and what only asks, agrees or greets."""

import pytest

from reverie.language.evidence import is_evidence
from reverie.records import ItemType

SAYS_NOTHING = [
    "Which port does staging use?",
    "which port does staging use",
    "what was the name of the deploy script again?",
    "how many workers are there",
    "where is the changelog",
    "is there a test for that",
    "Do you know who owns the billing service?",
    "Hi! What did we decide about Redis?",
    "ok",
    "Perfect, thanks!",
    "yes, go ahead",
    "lgtm",
    "Hey Mel!",
    "Good morning",
    "Danke, passt so!",
    "wie heißt der Server",
    "Wo liegt das Skript?",
    "部署用哪个端口？",
    "好的",
    "ありがとう",
    "👍",
]
SAYS_SOMETHING = [
    "Port 5433.",
    "no, 5433",
    "Staging is on 5433. Which port does production use?",
    "Can we move it, because 5433 is taken?",
    "I'm moving to Oslo in June, do you know a good neighbourhood?",
    "Did you know that Ana left the team?",
    "what I want is tea",
    "when deploying, use the blue cluster",
    "where possible use const",
    "how to deploy: make ship",
    "wie besprochen nutzen wir pnpm",
    "What are some simple ways to keep my living room free of dust, with a cat that sheds all year round?",
    "端口是5433。",
    "ok, then the name is Lantern",
    "Version 2.0.1 is out",
]


@pytest.mark.parametrize("text", SAYS_NOTHING)
def test_what_only_asks_or_agrees_is_no_evidence(text: str) -> None:
    assert not is_evidence(text)


@pytest.mark.parametrize("text", SAYS_SOMETHING)
def test_what_tells_something_is_evidence(text: str) -> None:
    assert is_evidence(text)


def test_what_memory_printed_is_no_evidence_and_what_other_tools_printed_is() -> None:
    assert not is_evidence("Bash: reverie search staging port\n5433", ItemType.TOOL_RESULT)
    assert not is_evidence("Bash: cd /shop && reverie context", ItemType.TOOL_RESULT)
    assert is_evidence("Bash: grep -r reverie src", ItemType.TOOL_RESULT)


def test_what_was_learned_is_evidence_however_it_is_put() -> None:
    assert is_evidence("ok", ItemType.FACT)
