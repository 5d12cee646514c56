"""What is known reaches the agent: `reverie install` and nothing else, with the real client and a scripted model."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest

from journeys.test_claude_code import patient_hooks, told
from reverie.daemon.steward import ON_DEMAND
from reverie.daemon.steward_lock import holder
from reverie.env.real import RealEnv
from reverie.foundation.workspace import Workspace
from support.client import Agent, fresh_agent, wait_until

pytestmark = pytest.mark.client

STAGING = "The staging server is at staging.example.org, behind the VPN."
RULE = "Never edit schema.gen.ts by hand, it is generated."


@pytest.fixture(scope="module")
def agent() -> Iterator[Agent]:
    """A connected agent of a person who said two things three weeks and twenty sessions ago."""
    with fresh_agent(REVERIE_STEWARD_ON_DEMAND="true") as agent:
        place, began = agent.place, datetime.now(UTC) - timedelta(days=21)
        with place.memory() as memory:
            for number, text in enumerate([STAGING, RULE, *(f"Screen {n} shows {n + 3} carts." for n in range(20))]):
                said = {"speaker": "user", "project": str(place.project), "session": f"old-{number}"}
                memory.observe({"text": text, "time": (began + timedelta(days=number / 2)).isoformat(), **said})
            memory.commit()
            memory.parts.background.distil()
        (place.project / "schema.gen.ts").write_text("// generated\n")
        place.reverie("install", "claude-code")
        with patient_hooks(agent):
            agent.run("Good morning.\nSAY Good morning.")
            wait_until(lambda: holder(Workspace(place.workspace), RealEnv()), "a hook starts the steward")
            yield agent


def sent(agent: Agent, prompt: str) -> str:
    """What Reverie told the model in one run, in all of its requests."""
    before = len(agent.model.requests)
    ran = agent.run(prompt)
    assert ran.code == 0, ran
    return "\n".join(block for request in agent.model.requests[before:] for block in told(request))


def test_the_steward_was_started_by_a_hook(agent: Agent) -> None:
    running = holder(Workspace(agent.place.workspace), RealEnv())

    assert running
    assert running.why == ON_DEMAND
    assert agent.place.reverie_json("status")["steward_why"] == ON_DEMAND


def test_an_old_fact_is_told_at_the_prompt_that_needs_it_and_not_at_others(agent: Agent) -> None:
    assert "staging.example.org" not in sent(agent, "Run the tests again.\nSAY Done.")
    assert "staging.example.org" in sent(agent, "Add a health check for the staging server.\nSAY Done.")


def test_a_rule_about_a_file_is_told_when_the_agent_opens_the_file(agent: Agent) -> None:
    path = agent.place.project / "schema.gen.ts"

    told_at_file = sent(agent, f'Look into it.\nCALL Read {{"file_path": "{path}"}}\nSAY Done.')

    assert "Never edit schema.gen.ts" in told_at_file
    explained = [span["data"] for one in agent.place.reverie_json("explain", "--told") for span in one["spans"]]
    assert any(it["about"] == "file" and it["asked"] == "schema.gen.ts" and it["lines"] for it in explained)
