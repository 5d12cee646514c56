"""Settings: file, then variables, then arguments; a wrong one is an error that names the way out."""

from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from reverie.errors import BadSettings
from reverie.foundation.workspace import Workspace
from reverie.hook.context_reply import ContextReply
from reverie.memory import Memory
from reverie.settings import (
    InboxSettings,
    Settings,
    check_project_file,
    ignored_variables,
    knobs,
    load_settings,
    parse_settings,
    read_overrides,
    removed_settings,
)
from reverie.shells.cli.main import cli
from reverie.shells.context import tell, work_off
from reverie.shells.health import ignored_settings
from reverie.testing import FakeEnv
from support.hooks import PROJECT, say

DOCS = Path(__file__).parents[1] / "docs" / "settings.md"


def test_arguments_beat_variables_and_variables_beat_the_file(tmp_path: Path) -> None:
    (tmp_path / "reverie.toml").write_text(
        "[gate]\nfloor = 0.1\n[context]\nmax_chars = 1000\n[continuum]\ntool_rounds = 1\n"
    )
    env = FakeEnv(variables={"REVERIE_GATE_FLOOR": "0.2", "REVERIE_CONTINUUM_TOOL_ROUNDS": "2"})

    settings = load_settings(Workspace(tmp_path), env, {"continuum.tool_rounds": "3"})

    assert (settings.context.max_chars, settings.gate.floor, settings.continuum.tool_rounds) == (1000, 0.2, 3)


@pytest.mark.parametrize("pair", ["continuum.tool_rounds", "", "=3", " = 3"])
def test_an_argument_that_sets_nothing_is_refused(pair: str) -> None:
    with pytest.raises(BadSettings, match=r"SECTION\.KEY=VALUE.*not"):
        read_overrides([pair])


def test_the_last_argument_for_a_setting_counts_and_a_value_may_hold_anything() -> None:
    given = read_overrides(
        ["continuum.tool_rounds=1", "embed.base_url=http://a/?b=c", "continuum.tool_rounds = 2", "model.name="]
    )

    assert given == {"continuum.tool_rounds": "2", "embed.base_url": "http://a/?b=c", "model.name": ""}


def test_without_anything_the_defaults_hold_and_no_model_is_asked(tmp_path: Path) -> None:
    settings = load_settings(Workspace(tmp_path), FakeEnv())

    assert settings == Settings()
    assert settings.model.daily_dollars == 0


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("[modell]\nname = 'x'", r'no setting "modell.name".*did you mean "model.name"'),
        ("[model]\ndaily_dolars = 1", 'did you mean "model.daily_dollars"'),
        ("[model]\nprovider = 'claude'", "one of 'none', 'anthropic', 'openai'"),
        ("[continuum]\ntool_rounds = 'many'", "a whole number"),
        ("[continuum]\ntool_rounds = true", "a whole number"),
        ("model = 3", r"\[model\] is a section"),
        ("[model", "not valid TOML"),
        ("[project]\nenabled = 'no'", "true or false"),
        ("[modl]", r'no setting "modl".*did you mean "model"'),
        ("[model]\ndaily_dollars = -1", "takes a number, at least 0"),
        ("[model]\ndaily_dollars = nan", "a finite number"),
        ("[inbox]\nstale_hours = inf", "a finite number"),
    ],
)
def test_a_wrong_setting_says_what_and_where(text: str, complaint: str) -> None:
    with pytest.raises(BadSettings, match=complaint):
        parse_settings(text, "reverie.toml")


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        (
            "[continuum]\ntool_rounds = 0",
            "continuum.tool_rounds in reverie.toml is 0; it takes a whole number, at least 1",
        ),
        ("[compose]\nvalkey_ms = 0", "at least 1"),
        ("[inbox]\nidle_turn_seconds = 0", "is 0.0; it takes a number, at least 1"),
        ("[recall]\nturn_tokens = 0", "at least 20"),
        ("[continuum]\nsegment_minutes = 0", "at least 0.01"),
        ("[model]\ninput_dollars_per_million = -2", "at least 0, or -1 for not known"),
    ],
)
def test_a_number_has_bounds_where_nonsense_would_harm(text: str, complaint: str) -> None:
    with pytest.raises(BadSettings, match=complaint):
        parse_settings(text, "reverie.toml")


@pytest.mark.parametrize(
    "text",
    [
        "[recall]\nsimilarity = 2.0",  # weights are relative to each other
        "[gate]\nfloor = 1.5",  # a bar that nothing reaches
        "[gate]\nsame = 1.1",
        "[recall]\nsame = 1.1",
        "[recall]\nduplicate = 1.1",
        "[context]\nmax_chars = 0",  # off
        "[stores]\nconversation_max_messages = 0",
        "[stores]\nconversation_max_tokens = 0",
        "[stores]\nworking_max_items = 0",
        "[stores]\nworking_max_tokens = 0",
        "[inbox]\nidle_turn_seconds = 5",  # short, and still longer than the rules need
    ],
)
def test_what_is_only_unusual_is_taken_and_lived_with(text: str, tmp_path: Path) -> None:
    (tmp_path / "reverie.toml").write_text(text)

    with Memory.open(tmp_path, env=FakeEnv()) as memory:
        say(memory, "From now on always use pnpm instead of npm.")
        for store in ("working", "conversation"):
            for number in range(3):
                memory.memorize(f"The service listens on port 80{number}0.", store=store, session="s1")
        memory.maintenance.compact()
        memory.maintenance.merge_duplicates()
        memory.context(PROJECT)
        assembled = memory.assemble_context("which package manager, pnpm?", session="s1")

    assert "pnpm" in assembled.text


def test_every_default_is_within_its_own_bounds() -> None:
    numbers = [knob for knob in knobs().values() if knob.kind in (int, float)]
    assert len(numbers) > 30
    for knob in numbers:
        section, _, name = knob.path.rpartition(".")
        value = getattr(getattr(Settings(), section) if section else Settings(), name)
        parse_settings(f"[{section}]\n{name} = {value}" if section else f"{name} = {value}", knob.path)


def test_a_variable_that_is_no_setting_names_the_nearest() -> None:
    env = FakeEnv(variables={"REVERIE_HOME": "/x", "REVERIE_MODEL_DAILY_DOLARS": "5", "OTHER": "1"})

    with pytest.raises(BadSettings, match=r'"REVERIE_MODEL_DAILY_DOLARS".*did you mean "REVERIE_MODEL_DAILY_DOLLARS"'):
        load_settings(Workspace(Path("/nowhere")), env)
    assert load_settings(Workspace(Path("/nowhere")), env, in_hook=True) == Settings()


@pytest.mark.parametrize(
    "name",
    [
        "REVERIE_SERVICE_HOST",
        "REVERIE_PORT",
        "REVERIE_PORT_80_TCP_ADDR",
        "REVERIE_WEB_SERVICE_HOST",
        "REVERIE_WEB_SERVICE_PORT",
        "REVERIE_WEB_SERVICE_PORT_HTTP",
        "REVERIE_DB_PORT",
        "REVERIE_DB_PORT_5432_TCP",
        "REVERIE_DB_PORT_5432_TCP_PROTO",
        "REVERIE_CONTINUUM_TOOL_ROUNDS_SERVICE_HOST",  # however near its beginning is to one of ours
        "REVERIE_CONTINUUM_TOOL_ROUNDS_PORT",
        "REVERIE_VERSION",
        "REVERIE_DB_PASSWORD",
        "REVERIE_LOG_LEVEL",
    ],
)
def test_a_variable_that_others_set_is_left_alone(name: str) -> None:
    assert load_settings(Workspace(Path("/nowhere")), FakeEnv(variables={name: "x"})) == Settings()


@pytest.mark.parametrize("name", ["REVERIE_DAILY_DOLLARS", "REVERIE_MODEL_TIMEOUT", "REVERIE_CONTINUUM_TOOL_ROUND"])
def test_a_variable_that_nearly_is_a_setting_is_refused(name: str) -> None:
    with pytest.raises(BadSettings, match=f'"{name}".*did you mean'):
        load_settings(Workspace(Path("/nowhere")), FakeEnv(variables={name: "5"}))


SECTIONS = sorted({path.partition(".")[0] for path in knobs() if "." in path})


@pytest.mark.parametrize("section", SECTIONS)
def test_a_variable_that_begins_with_a_section_and_is_no_setting_is_refused(section: str) -> None:
    name = f"REVERIE_{section.upper()}_QWXZ"

    with pytest.raises(BadSettings, match=f'"{name}".*did you mean "REVERIE_{section.upper()}_'):
        load_settings(Workspace(Path("/nowhere")), FakeEnv(variables={name: "5"}))
    assert ignored_variables(FakeEnv(variables={name: "5"})) == []


def test_a_variable_that_is_ignored_can_be_told_and_one_that_is_known_or_surely_anothers_is_not() -> None:
    ours = ["REVERIE_HOME", "REVERIE_DATA", "REVERIE_SNAPSHOTS", "REVERIE_USER", "REVERIE_CONTINUUM_TOOL_ROUNDS"]
    others = ["REVERIE_DB_PORT", "REVERIE_SERVICE_HOST", "HOME", "PATH"]
    env = FakeEnv(variables=dict.fromkeys([*ours, *others, "REVERIE_ENABLED", "REVERIE_LOG_LEVEL"], "1"))

    assert ignored_variables(env) == ["REVERIE_ENABLED", "REVERIE_LOG_LEVEL"]


def test_a_setting_of_the_past_is_ignored_and_told(tmp_path: Path) -> None:
    (tmp_path / "reverie.toml").write_text("[tools]\nidle_turns = 9\n[inbox]\nbatch = 'x'\nstale_hours = 2\n")
    env = FakeEnv(variables={"REVERIE_STORES_CANDIDATES": "5"})

    settings = load_settings(Workspace(tmp_path), env, read_overrides(["compaction.turns=3"]))

    assert settings == replace(Settings(), inbox=InboxSettings(stale_hours=2.0))
    assert removed_settings(Workspace(tmp_path), env) == ["inbox.batch", "stores.candidates", "tools.idle_turns"]
    assert ignored_settings(Workspace(tmp_path), env) == (
        "inbox.batch (now fixed at 200), stores.candidates (now fixed at 100), tools.idle_turns (now fixed at 5): no "
        "longer settings; ignored, remove them from reverie.toml or the environment"
    )
    assert "tools.idle_turns (now fixed at 5): no longer" in status_of(tmp_path)


def status_of(home: Path) -> str:
    ran = CliRunner().invoke(cli, ["--home", str(home), "status"], env={"REVERIE_HOME": ""})
    return " ".join(ran.output.split())


def test_a_hook_answers_whatever_variables_there_are(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Memory.open(tmp_path) as memory:
        memory.note("From now on always use pnpm instead of npm.")
    monkeypatch.setenv("REVERIE_MODEL_DAILY_DOLARS", "5")
    reply = ContextReply("SessionStart", lambda _: b"", lambda: None)

    work_off(str(tmp_path))
    tell(str(tmp_path), "", "s1", "", reply)

    assert "pnpm" in reply.best
    with pytest.raises(BadSettings, match="REVERIE_MODEL_DAILY_DOLLARS"):
        Memory.open(tmp_path)


def test_a_file_may_begin_with_a_byte_order_mark() -> None:
    assert parse_settings("\ufeff[context]\nmax_chars = 3", "x").context.max_chars == 3


def test_a_wrong_variable_is_named() -> None:
    with pytest.raises(BadSettings, match="REVERIE_CONTINUUM_TOOL_ROUNDS is 'x'"):
        load_settings(Workspace(Path("/nowhere")), FakeEnv(variables={"REVERIE_CONTINUUM_TOOL_ROUNDS": "x"}))


@pytest.mark.parametrize("value", ["nan", "-1"])
def test_a_variable_is_held_to_the_same_range(value: str) -> None:
    with pytest.raises(BadSettings, match="REVERIE_MODEL_DAILY_DOLLARS"):
        load_settings(Workspace(Path("/nowhere")), FakeEnv(variables={"REVERIE_MODEL_DAILY_DOLLARS": value}))


def test_minus_one_still_says_that_a_price_is_not_known() -> None:
    settings = parse_settings("[model]\ninput_dollars_per_million = -1", "x")

    assert settings.model.input_dollars_per_million == -1


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("[project]\nenabeld = false", 'did you mean "project.enabled"'),
        ("[project]\nenabled = 'false'", "true or false"),
        ("[projekt]\nenabled = false", 'no setting "projekt.enabled"'),
        ("enabled = false", 'no setting "enabled"'),
        ("[project", "not valid TOML"),
        ("[model]\nname = 'x'", "belongs in reverie.toml"),
    ],
)
def test_a_projects_own_file_is_read_as_strictly(text: str, complaint: str) -> None:
    with pytest.raises(BadSettings, match=complaint):
        check_project_file(text, "/shop/.reverie.toml")


def test_a_project_opts_out_with_its_own_file() -> None:
    assert check_project_file("[project]\nenabled = false\n", "x").enabled is False
    assert check_project_file("", "x").enabled is True


def test_every_knob_is_in_the_documentation() -> None:
    text = DOCS.read_text()

    assert [name for name in knobs() if f"`{name}`" not in text] == []
