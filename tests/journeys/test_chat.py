"""A person talks with `reverie chat` in a terminal: it answers, remembers in the next run, and explains a line."""

import re
from pathlib import Path

import pytest

from support.scripted_model import ScriptedModel
from support.terminal import Terminal, python

PROMPT = "you> "


def chat(home: Path, *arguments: str, **variables: str) -> Terminal:
    env = {"HOME": str(home), "PATH": "/usr/bin:/bin", "TERM": "xterm", "REVERIE_PERSON_TIME_ZONE": "UTC", **variables}
    return Terminal(python("-m", "reverie", "chat", *arguments), env, str(home))


def test_without_a_model_it_keeps_what_is_said_and_quotes_it_in_the_next_run(tmp_path: Path) -> None:
    with chat(tmp_path) as terminal:
        assert "No model is set" in terminal.until(PROMPT)
        terminal.say("The staging database is Postgres 14.")
        terminal.until("turn 1")
        terminal.until(PROMPT)
        terminal.say("/reminders add call Ana @ tomorrow at 9")
        assert "call Ana" in terminal.until(PROMPT)
        terminal.say("/collapse")
        terminal.until(PROMPT)
        terminal.say("/quit")
        assert terminal.ends() == 0

    with chat(tmp_path) as terminal:
        terminal.until(PROMPT)
        terminal.say("What is the staging database?")
        reply = terminal.until(PROMPT)
        assert '- "The staging database is Postgres 14' in reply
        assert "[mem_" in reply

        terminal.say("/prompt")
        prompt = terminal.until(PROMPT)
        assert "call Ana" in prompt
        number = re.search(r"^ *(\d+) .*<memory [^>]*>The staging database is Postgres 14", prompt, re.MULTILINE)
        assert number, prompt
        terminal.say(f"/explain {number[1]}")
        explained = terminal.until(PROMPT)
        assert "relevant_memories" in explained
        assert "ProactiveMemoryTrinket" in explained
        assert "person" in explained  # whose word it is
        terminal.type("\x04")
        assert terminal.ends() == 0


def test_without_a_model_it_quotes_what_was_said_a_minute_ago(tmp_path: Path) -> None:
    with chat(tmp_path) as terminal:
        terminal.until(PROMPT)
        terminal.say("The staging database is Postgres 14.")
        terminal.until(PROMPT)
        terminal.say("What is the staging database?")
        reply = terminal.until(PROMPT)

    assert '- "The staging database is Postgres 14' in reply
    assert '- "What is' not in reply


def with_model(model: ScriptedModel) -> dict[str, str]:
    return {
        "REVERIE_MODEL_PROVIDER": "anthropic",
        "REVERIE_MODEL_DAILY_DOLLARS": "5",
        "ANTHROPIC_BASE_URL": model.url,
        "ANTHROPIC_API_KEY": "none",
    }


def test_with_a_model_it_talks_calls_tools_and_remembers_across_two_runs(tmp_path: Path) -> None:
    with ScriptedModel() as model:
        with chat(tmp_path, **with_model(model)) as terminal:
            assert "No model is set" not in terminal.until(PROMPT)
            terminal.say("Please note that the staging port is 8080. SAY Done, noted.")
            terminal.until("Fine.")
            terminal.until(PROMPT)
            terminal.type("\x04")
            assert terminal.ends() == 0
        with chat(tmp_path, **with_model(model)) as terminal:
            terminal.until(PROMPT)
            terminal.say("Which port was it?")
            terminal.until("turn 2")
            terminal.until(PROMPT)
            terminal.type("\x04")
            assert terminal.ends() == 0

    told = model.asked_by_agents[-1]
    assert "the staging port is 8080" in told.said
    assert told.body["stream"] is True


def test_a_model_that_is_away_costs_the_reply_and_nothing_else(tmp_path: Path) -> None:
    model = ScriptedModel()  # it is down
    with chat(tmp_path, **with_model(model)) as terminal:
        terminal.until(PROMPT)
        terminal.say("The staging port is 8080.")
        assert "the model did not answer" in terminal.until("turn 1")
        terminal.until(PROMPT)
        terminal.say("/memory staging port")
        assert "8080" in terminal.until(PROMPT)


def test_one_message_from_the_command_line(tmp_path: Path) -> None:
    with chat(tmp_path, "The staging port is 8080.") as terminal:
        assert terminal.ends() == 0
    with chat(tmp_path, "--json", "Which staging port?") as terminal:
        assert terminal.ends() == 0
        assert '"end": "offline"' in terminal.shown


@pytest.mark.parametrize("line", ["/promt", "/explain 99999", "/show nothing", "/reminders add call Ana", "/forget"])
def test_a_wrong_command_says_the_way_out_and_the_talk_goes_on(tmp_path: Path, line: str) -> None:
    with chat(tmp_path) as terminal:
        terminal.until(PROMPT)
        terminal.say(line)
        assert "! " in terminal.until(PROMPT)
        terminal.say("/quit")
        assert terminal.ends() == 0


def test_ctrl_c_at_the_prompt_leaves(tmp_path: Path) -> None:
    with chat(tmp_path) as terminal:
        terminal.until(PROMPT)
        assert terminal.interrupt() == 0
