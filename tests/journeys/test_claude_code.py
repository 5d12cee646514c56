"""The whole way with the real coding-agent client: install, work, learn, and be told in the next session."""

import json
import uuid
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from reverie.records import Kind, LearningType, Observation
from reverie.shells.install.entries import LAUNCHER
from support.client import REVERIE, Agent, Ran, fresh_agent, steward, wait_until
from support.scripted_model import Request

pytestmark = pytest.mark.client

PREFERENCE = "always use pnpm instead of npm"
FIRST_PROMPT = f"""From now on {PREFERENCE}.
TELL Let me look around first.
CALL Bash {{"command": "echo the shop is open"}}
CALL Bash {{"command": "ls /no/such/folder"}}
SAY The shop is open, and that folder does not exist."""


@dataclass(frozen=True)
class Journey:
    """A connected agent after its first session."""

    agent: Agent
    session: str
    ran: Ran
    captured: list[Observation]  # right after it


@pytest.fixture(scope="module", params=["a steward", "no steward"])
def journey(request: pytest.FixtureRequest) -> Iterator[Journey]:
    with ExitStack() as stack:
        agent = stack.enter_context(fresh_agent())
        agent.place.reverie("install", "claude-code")
        if request.param == "a steward":
            stack.enter_context(steward(agent.place))
        session = str(uuid.uuid4())
        ran = agent.run(FIRST_PROMPT, "--session-id", session)
        if request.param == "a steward":
            wait_until(agent.place.learnings, "the steward learns something")
        else:
            agent.place.reverie("status")  # any command opens the memory, and whoever opens it does the work
        yield Journey(agent, session, ran, agent.place.observations(session))


def told(request: Request) -> list[str]:
    """The blocks of ours that a model reads in a request."""
    return [block.partition("</reverie-context>")[0] for block in request.said.split("<reverie-context>")[1:]]


def first_request(agent: Agent, prompt: str, *flags: str) -> Request:
    """What the model was sent first in a run."""
    before = len(agent.model.requests)
    ran = agent.run(prompt, *flags)
    assert (ran.code, ran.err) == (0, "")
    return agent.model.requests[before]


@contextmanager
def patient_hooks(agent: Agent) -> Iterator[None]:
    """The hooks with more time to answer in, from Reverie and from the client."""
    settings = agent.place.settings
    installed = settings.read_text()
    assert str(LAUNCHER) in installed
    assert '"timeout": 10' in installed
    patient = installed.replace(str(LAUNCHER), str(agent.place.patient_launcher()))
    settings.write_text(patient.replace('"timeout": 10', '"timeout": 60'))
    try:
        yield
    finally:
        settings.write_text(installed)


def next_request(agent: Agent, *flags: str) -> Request:
    """The first request of the very next run."""
    with patient_hooks(agent):
        return first_request(agent, "What is new?\nSAY Nothing.", *flags)


# ---- capture


def test_the_agent_works_as_if_nothing_were_there(journey):
    assert journey.ran == Ran(0, "The shop is open, and that folder does not exist.\n", "")


def test_what_happened_is_there_in_order_complete_and_once(journey):
    prompt, call, failure = journey.captured[1:4]

    assert [(o.kind, o.event, o.text) for o in journey.captured] == [
        (Kind.SYSTEM, "SessionStart", "session start (startup)"),
        (Kind.USER_MESSAGE, "UserPromptSubmit", FIRST_PROMPT),
        (Kind.TOOL_CALL, "PostToolUse", "the shop is open"),
        (Kind.TOOL_CALL, "PostToolUseFailure", failure.text),
        (Kind.ASSISTANT_MESSAGE, "Stop", "The shop is open, and that folder does not exist."),
        (Kind.SYSTEM, "SessionEnd", "session end (other)"),
    ]
    assert [o.sequence_num for o in journey.captured] == [1, 2, 3, 4, 5, 6]
    assert [o.position for o in journey.captured] == sorted(o.position for o in journey.captured)
    assert len({o.id for o in journey.captured}) == 6
    assert prompt.speaker == "user"
    assert (call.tool.name, call.tool.input["command"], call.tool.failed) == ("Bash", "echo the shop is open", False)
    assert (failure.tool.input["command"], failure.tool.failed) == ("ls /no/such/folder", True)
    assert "No such file or directory" in failure.text
    assert {o.project for o in journey.captured} == {str(journey.agent.place.project)}


def test_status_says_that_events_arrive_and_hooks_are_current(journey):
    place = journey.agent.place
    status = place.reverie_json("status")

    assert status["last_capture_ms"][str(place.project)] >= journey.captured[0].occurred_ms
    assert [(it["state"], it["path"]) for it in status["hooks"]] == [("current", str(place.settings))]
    assert (status["hook_errors"], status["dead"], status["last_error"]) == (0, 0, "")


# ---- learning, and telling it again


def test_the_preference_is_learned_once_and_stands_in_the_persons_file(journey):
    place = journey.agent.place
    (learned,) = [it for it in place.learnings() if "pnpm" in it.text]

    assert learned.type is LearningType.PREFERENCE
    assert PREFERENCE in learned.text
    assert learned.observation_id == journey.captured[1].id
    assert (place.workspace / "user.md").read_text().count(PREFERENCE) == 1


def test_the_next_session_is_told_and_what_it_is_told_is_not_remembered_again(journey):
    agent = journey.agent
    request = next_request(agent)

    assert len(told(request)) == 1
    assert told(request)[0].count(PREFERENCE) == 1
    assert len([it for it in agent.place.learnings() if "pnpm" in it.text]) == 1
    for path, data in agent.place.files():
        assert b"<reverie-context>" not in data, path


def test_after_a_compaction_it_is_told_again(journey):
    agent, session = journey.agent, str(uuid.uuid4())
    agent.run("Hello.\nSAY Good morning.", "--session-id", session)
    before = len(agent.model.requests)
    for _ in range(3):  # on a busy machine the client may find nothing to compact yet
        agent.run("/compact", "--resume", session)
        if any(request.is_compaction for request in agent.model.requests[before:]):
            break
    assert any(request.is_compaction for request in agent.model.requests[before:])

    request = next_request(agent, "--resume", session)

    assert "This session is being continued" in request.said
    assert len(told(request)) == 1
    assert PREFERENCE in told(request)[0]
    assert [o.event for o in agent.place.observations(session) if o.event.endswith("Compact")] == [
        "PreCompact",
        "PostCompact",
    ]


def test_without_a_steward_the_next_sessions_own_hook_does_the_work():
    with fresh_agent() as agent:
        agent.place.reverie("install", "claude-code")
        agent.run(f"From now on {PREFERENCE}.\nSAY I will.")

        assert PREFERENCE in "".join(told(next_request(agent)))


# ---- the same event by several ways


def test_hooks_installed_twice_give_what_the_client_numbers_once():
    with fresh_agent() as agent:
        agent.place.reverie("install", "claude-code", "--user")
        agent.place.reverie("install", "claude-code", "--project")
        local = agent.place.project / ".claude" / "settings.local.json"
        # The client itself drops a command that it has seen. Written differently, both run; this one leaves a trace.
        trace = agent.place.home / "trace"
        local.write_text(local.read_text().replace("2>/dev/null || :", f"2>/dev/null; echo ran >> {trace}"))

        agent.run(FIRST_PROMPT)
        agent.place.reverie("status")

        assert trace.read_text() == "ran\n" * 6
        assert [o.event for o in agent.place.observations()] == [
            "SessionStart",
            "SessionStart",  # a session's start and end have no number of their own: two reports are two events
            "UserPromptSubmit",
            "PostToolUse",
            "PostToolUseFailure",
            "Stop",
            "SessionEnd",
            "SessionEnd",
        ]
        assert len(agent.place.learnings()) == 1


def test_importing_the_transcript_adds_only_what_hooks_cannot_see(journey):
    place, transcript = journey.agent.place, journey.agent.transcript(journey.session)

    first = json.loads(place.run(REVERIE, "admin", "import", "transcript", transcript, "--json").out)
    second = json.loads(place.run(REVERIE, "admin", "import", "transcript", transcript, "--json").out)

    added = place.observations(journey.session)[len(journey.captured) :]
    assert [(o.kind, o.text) for o in added] == [(Kind.ASSISTANT_MESSAGE, "Let me look around first.")]
    assert [o.sequence_num for o in added] == [7]
    assert (first["new"], second["new"], first["broken_lines"]) == (1, 0, 0)
    assert len([it for it in place.learnings() if "pnpm" in it.text]) == 1


def test_importing_the_transcript_of_a_compacted_session_adds_nothing():
    with fresh_agent() as agent:
        session = str(uuid.uuid4())
        agent.place.reverie("install", "claude-code")
        agent.run("Hello.\nSAY Good morning.", "--session-id", session)
        agent.run("/compact", "--resume", session)
        agent.place.reverie("status")
        before = [(o.event, o.text) for o in agent.place.observations()]

        agent.place.run(REVERIE, "admin", "import", "transcript", agent.transcript(session))

        assert [(o.event, o.text) for o in agent.place.observations()] == before
        assert [o.text for o in agent.place.observations() if o.kind is Kind.ASSISTANT_MESSAGE] == ["Good morning."]


# ---- saying no


def test_a_project_that_opted_out_is_neither_captured_nor_told():
    with fresh_agent() as agent:
        agent.place.reverie("install", "claude-code")
        agent.place.reverie("note", "--personal", f"From now on {PREFERENCE}.")
        (agent.place.project / ".reverie.toml").write_text("[project]\nenabled = false\n")
        before = agent.place.observations()

        with steward(agent.place):
            request = first_request(agent, FIRST_PROMPT)
            status = agent.place.reverie_json("status")

        assert told(request) == []
        assert agent.place.observations() == before
        assert status["spool_bytes"] == 0


def test_uninstall_leaves_the_settings_as_they_were():
    with fresh_agent() as agent:
        mine = '{\n   "model": "opus",\n   "hooks": {"Stop": [{"hooks": [{"type": "command", "command": "true"}]}]}\n}'
        agent.place.settings.parent.mkdir()
        agent.place.settings.write_text(mine)

        agent.place.reverie("install", "claude-code")
        assert agent.place.settings.read_text() != mine
        agent.place.reverie("uninstall", "claude-code")

        assert agent.place.settings.read_text() == mine
        assert agent.place.reverie_json("status")["hooks"] == []


def test_uninstall_removes_a_file_that_was_made_for_us():
    with fresh_agent() as agent:
        agent.place.reverie("install", "claude-code")
        agent.place.reverie("uninstall", "claude-code")

        assert not agent.place.settings.exists()


# ---- when it is broken


@pytest.mark.parametrize("gone", ["interpreter", "launcher"])
def test_an_agent_does_not_notice_that_reverie_has_gone_and_reverie_repairs_it(gone):
    with fresh_agent() as agent:
        agent.place.reverie("install", "claude-code")
        current = agent.place.settings.read_text()
        command = json.loads(current)["hooks"]["Stop"][0]["hooks"][0]["command"]
        path = command.split(" ")[0] if gone == "interpreter" else command.split(" ")[3]
        agent.place.settings.write_text(current.replace(path, f"/gone{path}"))

        assert agent.run(FIRST_PROMPT) == Ran(0, "The shop is open, and that folder does not exist.\n", "")

        assert agent.place.reverie_json("status")["hooks"][0]["state"] == "broken"
        assert agent.place.run(REVERIE, "doctor").code == 1
        if gone == "interpreter":
            agent.place.reverie("doctor", "--repair")
        else:
            with steward(agent.place):
                pass
        assert agent.place.settings.read_text() == current
        agent.run("Hello.\nSAY Good morning.")
        assert agent.place.reverie_json("status")["observations"] == 4


# ---- secrets


def test_a_secret_that_a_tool_printed_is_in_no_file_and_in_no_question_of_ours():
    secret = "ghp_" + "Zk4Qw8Lm2Xv6Bn0Rt5Yp9Sd3Fg7Hj1KcAeUi"[:36]
    with fresh_agent() as agent:
        agent.place.reverie("install", "claude-code")
        (agent.place.workspace / "reverie.toml").write_text('[model]\nprovider = "anthropic"\ndaily_dollars = 1.0\n')
        (agent.place.project / "deploy.env").write_text(f"GITHUB_TOKEN={secret}\n")

        with steward(agent.place):
            agent.run('Show it.\nCALL Bash {"command": "cat deploy.env"}\nSAY That is the token file.')
            wait_until(lambda: agent.model.asked_by_reverie, "the model is asked about the turn")

        assert any(secret in it.said for it in agent.model.asked_by_agents), "the agent itself sees it"
        asked = json.dumps([it.body for it in agent.model.asked_by_reverie])
        assert "[secret:" in asked
        assert secret not in asked
        written = dict(agent.place.files())
        assert agent.place.workspace / "reverie.db" in written
        assert [path for path, data in written.items() if secret.encode() in data] == []
        assert "[secret:" in next(o.text for o in agent.place.observations() if o.tool)


# ---- as a plug-in


def test_the_plug_in_captures_like_the_settings_do():
    with fresh_agent() as agent:
        commands = agent.place.reverie_json("install", "claude-code", "--plugin")["commands"]
        for command in commands:
            assert agent.command(command).code == 0, command
        folder = agent.place.workspace / "plugin"
        assert agent.command(f"claude plugin validate {folder}").code == 0
        assert agent.command(f"claude plugin validate {folder / 'reverie'}").code == 0

        ran = agent.run(FIRST_PROMPT)

        assert ran == Ran(0, "The shop is open, and that folder does not exist.\n", "")
        status = agent.place.reverie_json("status")
        assert (status["observations"], status["learnings"]) == (6, 1)
        assert [(it["scope"], it["state"]) for it in status["hooks"]] == [("plug-in", "current")]

        for command in agent.place.reverie_json("uninstall", "claude-code", "--plugin")["commands"]:
            assert agent.command(command).code == 0, command
        agent.run("Hello.\nSAY Good morning.")
        assert agent.place.reverie_json("status")["observations"] == 6
        assert not Path(folder).exists()
