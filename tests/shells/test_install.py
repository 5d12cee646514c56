"""Installing adds our hooks to the client's settings and nothing else; uninstalling leaves the file as it was."""

import json
import os
import shlex
import shutil
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from reverie.env.real import RealEnv
from reverie.errors import BadSettings
from reverie.foundation.workspace import Workspace
from reverie.hook import spool
from reverie.shells import install
from reverie.shells.install import InstallScope, Plan, State, apply, plan_install, plan_refresh, plan_uninstall
from reverie.shells.install.claude_code import _installed_text, _uninstalled_text
from reverie.shells.install.entries import EVENTS, LAUNCHER, group_of, hook_command, hook_entries


class HomeEnv(RealEnv):
    """This machine, with a home folder of its own."""

    def __init__(self, home: Path, **variables: str) -> None:
        super().__init__()
        self.variables = {"HOME": str(home), **variables}

    def variable(self, name: str) -> str | None:
        return self.variables.get(name)


@pytest.fixture
def env(tmp_path: Path) -> HomeEnv:
    return HomeEnv(tmp_path)


@pytest.fixture
def settings(env: HomeEnv, tmp_path: Path) -> Path:
    path = install.settings_path(InstallScope.USER, env, tmp_path)
    path.parent.mkdir()
    return path


def do(plan: Plan, env: HomeEnv) -> Plan:
    apply(plan, env)
    return plan


def hooks_in(path: Path) -> dict[str, Any]:
    return json.loads(path.read_text(encoding="utf-8-sig"))["hooks"]


def commands(path: Path) -> list[str]:
    return [h["command"] for groups in hooks_in(path).values() for group in groups for h in group["hooks"]]


# ---- any file survives

GAP = st.text(" \t\n\r", max_size=3)
SCALAR = (
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=6)
)
VALUE = st.recursive(
    SCALAR,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=6,
)
OTHER_HOOK = st.fixed_dictionaries({"type": st.just("command"), "command": st.text(max_size=8)})
GROUP = st.fixed_dictionaries({}, optional={"matcher": st.text(max_size=3), "hooks": st.lists(OTHER_HOOK, max_size=2)})
HOOKS = st.dictionaries(st.sampled_from([*EVENTS[:4], "PreToolUse"]), st.lists(GROUP | VALUE, max_size=2), max_size=4)


@st.composite
def laid_out(draw: st.DrawFn, value: Any) -> str:
    """A value as JSON text in any layout."""

    def gap() -> str:
        return draw(GAP)

    def scalar(part: Any) -> str:
        return json.dumps(part, ensure_ascii=draw(st.booleans()))

    def text(part: Any) -> str:
        if isinstance(part, dict):
            pairs = [f"{gap()}{scalar(key)}{gap()}:{gap()}{text(inner)}{gap()}" for key, inner in part.items()]
            return "{" + (",".join(pairs) or gap()) + "}"
        if isinstance(part, list):
            return "[" + (",".join(f"{gap()}{text(inner)}{gap()}" for inner in part) or gap()) + "]"
        return scalar(part)

    return gap() + text(value) + gap()


@st.composite
def settings_texts(draw: st.DrawFn) -> str:
    value = draw(st.dictionaries(st.text(max_size=5), VALUE, max_size=3))
    value.pop("hooks", None)
    if draw(st.booleans()):
        value["hooks"] = draw(HOOKS)
    names = draw(st.permutations(list(value)))
    indent = draw(st.sampled_from([None, 2, 4, "\t"]))
    if draw(st.booleans()):
        return json.dumps({name: value[name] for name in names}, indent=indent) + draw(st.sampled_from(["", "\n"]))
    return draw(laid_out({name: value[name] for name in names}))


@given(settings_texts())
@example("{}")
@example("{ }\n")
@example("{\n}\n")
@example('{"hooks": {}}')
@example('{\n    "hooks": {\n        "Stop": [\n        ]\n    }\n}\n')
@example('{"hooks": {"Stop": []}, "hooks": {"Stop": [ ]}}')
def test_any_settings_file_is_the_same_again_after_install_and_uninstall(text):
    wanted = hook_entries()

    after, _ = _installed_text(text, wanted)
    again, changes = _installed_text(after, wanted)
    back, _ = _uninstalled_text(after)

    assert (again, changes) == (after, [])
    assert back == text


@given(settings_texts())
def test_what_was_there_stays_in_its_order_and_ours_is_added_to_it(text):
    before, after = json.loads(text), json.loads(_installed_text(text, hook_entries())[0] or "")

    assert [key for key in after if key != "hooks" or "hooks" in before] == list(before)
    assert {key: value for key, value in after.items() if key != "hooks"} == {
        key: value for key, value in before.items() if key != "hooks"
    }
    for event, groups in before.get("hooks", {}).items():
        assert after["hooks"][event][: len(groups)] == groups
    for event, entry in hook_entries().items():
        assert after["hooks"][event][-1] == group_of(event, entry)


@given(settings_texts(), st.sampled_from([None, 2, 4, "\t"]))
def test_a_file_that_was_reformatted_meanwhile_keeps_all_its_values(text, indent):
    reformatted = json.dumps(json.loads(_installed_text(text, hook_entries())[0] or ""), indent=indent)

    back, _ = _uninstalled_text(reformatted)

    def pruned(value: dict[str, Any]) -> dict[str, Any]:
        """Without the containers that were empty, which may go."""
        hooks = {event: groups for event, groups in value.get("hooks", {}).items() if groups}
        return {key: part for key, part in value.items() if key != "hooks"} | ({"hooks": hooks} if hooks else {})

    assert pruned(json.loads(back or "{}")) == pruned(json.loads(text))


# ---- the file


def test_a_missing_file_is_made_and_goes_again(settings, env):
    made = do(plan_install(settings, env), env)

    assert made.before is None
    assert settings.read_text().startswith('{\n  "hooks": {\n    "SessionStart": [\n      {\n')
    assert settings.read_text().endswith("}\n")
    assert list(hooks_in(settings)) == list(EVENTS)

    do(plan_uninstall(settings, env), env)
    assert not settings.exists()


def test_the_layout_of_the_file_is_followed(settings, env):
    settings.write_bytes(b'{\r\n\t"model": "opus"\r\n}')

    do(plan_install(settings, env), env)

    assert settings.read_bytes().startswith(
        b'{\r\n\t"model": "opus",\r\n\t"hooks": {\r\n\t\t"SessionStart": [\r\n\t\t\t{'
    )
    assert b"\n" not in settings.read_bytes().replace(b"\r\n", b"")


def test_a_dry_run_tells_and_changes_nothing(settings, env):
    settings.write_text("{}")

    plan = plan_install(settings, env)

    assert plan.is_needed
    assert plan.changes == tuple(f"add a hook for {event}" for event in EVENTS)
    assert settings.read_text() == "{}"


def test_installing_twice_changes_nothing(settings, env):
    do(plan_install(settings, env), env)

    second = plan_install(settings, env)

    assert not second.is_needed
    assert second.changes == ()


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ('{"a": 1,}', "not valid JSON"),
        ("// mine\n{}", "not valid JSON"),
        ('{"a": NaN}', "not valid JSON"),
        ("[" * 100_000, "not valid JSON"),
        ("[]", "not an object"),
        ('{"hooks": []}', '"hooks" is not an object'),
        ('{"hooks": {"Stop": {}}}', '"Stop" in "hooks" is not a list'),
        ("caf\xe9", "not UTF-8"),
    ],
)
def test_a_file_that_cannot_be_understood_is_refused_and_left_untouched(settings, env, text, complaint):
    settings.write_bytes(text.encode("latin-1"))

    with pytest.raises(BadSettings, match=complaint) as refusal:
        plan_install(settings, env)

    assert str(settings) in str(refusal.value)
    assert settings.read_bytes() == text.encode("latin-1")
    assert install.installed(env, settings.parent) == []


def test_a_byte_order_mark_stays(settings, env):
    settings.write_bytes(b'\xef\xbb\xbf{"a": 1}')

    do(plan_install(settings, env), env)
    assert settings.read_bytes().startswith(b'\xef\xbb\xbf{"a": 1, "hooks"')

    do(plan_uninstall(settings, env), env)
    assert settings.read_bytes() == b'\xef\xbb\xbf{"a": 1}'


def test_a_symbolic_link_stays_one(settings, env, tmp_path):
    dotfiles = tmp_path / "dotfiles.json"
    dotfiles.write_text("{}")
    settings.symlink_to(dotfiles)

    do(plan_install(settings, env), env)

    assert settings.is_symlink()
    assert "SessionEnd" in dotfiles.read_text()
    do(plan_uninstall(settings, env), env)
    assert dotfiles.read_text() == "{}"


@pytest.mark.parametrize("mode", [0o600, 0o644, 0o664])
def test_the_mode_of_the_file_is_kept(settings, env, mode):
    settings.write_text("{}")
    settings.chmod(mode)

    do(plan_install(settings, env), env)

    assert stat.S_IMODE(settings.stat().st_mode) == mode


def test_a_file_that_changed_since_the_plan_is_left_alone(settings, env):
    settings.write_text("{}")
    plan = plan_install(settings, env)
    settings.write_text('{"new": 1}')

    with pytest.raises(BadSettings, match="changed meanwhile"):
        apply(plan, env)

    assert settings.read_text() == '{"new": 1}'


def test_a_folder_in_the_way_is_an_error_with_its_name(settings, env):
    settings.mkdir()

    with pytest.raises(BadSettings, match=r"settings\.json"):
        plan_install(settings, env)


# ---- our entries


def test_other_hooks_of_the_same_event_stay_and_ours_go(settings, env):
    theirs = {"matcher": "Bash", "hooks": [{"type": "command", "command": "lint"}]}
    settings.write_text(json.dumps({"hooks": {"PostToolUse": [theirs]}}))

    do(plan_install(settings, env), env)
    assert hooks_in(settings)["PostToolUse"] == [theirs, {"hooks": [hook_entries()["PostToolUse"]]}]

    do(plan_uninstall(settings, env), env)
    assert hooks_in(settings) == {"PostToolUse": [theirs]}


def test_entries_of_another_installation_are_renewed_where_they_stand(settings, env):
    do(plan_install(settings, env), env)
    text = settings.read_text().replace(os.path.abspath(sys.executable), "/gone/bin/python")
    old = json.loads(text)
    del old["hooks"]["Stop"]
    old["hooks"]["Notification"] = [{"hooks": [hook_entries()["Stop"]]}]
    old["hooks"]["PreCompact"] *= 2
    old["hooks"]["SessionEnd"][0]["hooks"][0]["async"] = True
    settings.write_text(json.dumps(old, indent=2))

    changes = install.find_outdated(settings, env)
    assert {
        "renew the hook for SessionStart",
        "add a hook for Stop",
        "remove the misplaced hook for Notification",
    } <= set(changes)

    do(plan_install(settings, env), env)

    assert {event: groups[0]["hooks"][0] for event, groups in hooks_in(settings).items()} == hook_entries()
    assert len(commands(settings)) == len(EVENTS)
    assert install.find_outdated(settings, env) == []


def test_an_entry_that_sees_only_some_tools_is_put_right(settings, env):
    narrow = {"matcher": "Bash", "hooks": [hook_entries()["PostToolUse"], {"type": "command", "command": "mine"}]}
    settings.write_text(json.dumps({"hooks": {"PostToolUse": [narrow]}}))

    do(plan_install(settings, env), env)

    kept, ours = hooks_in(settings)["PostToolUse"]
    assert kept == {"matcher": "Bash", "hooks": [{"type": "command", "command": "mine"}]}
    assert ours == {"hooks": [hook_entries()["PostToolUse"]]}


def test_more_time_than_we_ask_for_is_the_persons_choice(settings, env):
    do(plan_install(settings, env), env)
    settings.write_text(settings.read_text().replace('"timeout": 10', '"timeout": 30'))

    assert not plan_install(settings, env).is_needed


def test_refreshing_keeps_the_workspace_and_installs_nothing_new(settings, env):
    settings.write_text("{}")
    assert not plan_refresh(settings, env).is_needed

    do(plan_install(settings, env, home="/my notes/reverie"), env)
    settings.write_text(settings.read_text().replace(os.path.abspath(sys.executable), "/gone/bin/python"))
    do(plan_refresh(settings, env), env)

    assert commands(settings) == [hook_command(event, "/my notes/reverie") for event in EVENTS]


def test_only_another_workspace_than_the_default_is_named(env, tmp_path):
    assert install.home_argument(Workspace(tmp_path / ".reverie"), env) == ""
    assert install.home_argument(Workspace(tmp_path / "else where"), env) == str(tmp_path / "else where")


# ---- the command


def run_hook(command: str, home: Path, payload: dict[str, Any]) -> subprocess.CompletedProcess[str]:
    environment = {"HOME": str(home), "PATH": "/usr/bin:/bin"}
    return subprocess.run(
        ["/bin/sh", "-c", command],
        input=json.dumps(payload),
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize("name", ["plain", 'it\'s "a" $HOME `id` \\ folder; :'])
def test_the_command_captures_into_its_workspace(tmp_path, name):
    home = tmp_path / name
    payload = {"session_id": "s1", "cwd": str(tmp_path), "last_assistant_message": "Done."}

    ended = run_hook(hook_command("Stop", str(home)), tmp_path, payload)

    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "", "")
    (record,) = spool.frames((home / "spool" / "current").read_bytes())[0]
    assert json.loads(record)["payload"]["last_assistant_message"] == "Done."


@pytest.mark.parametrize("gone", [os.path.abspath(sys.executable), str(LAUNCHER)])
def test_the_agent_does_not_notice_when_the_environment_has_gone(tmp_path, gone):
    command = hook_command("UserPromptSubmit").replace(gone, gone + ".gone")

    ended = run_hook(command, tmp_path, {})

    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "", "")


def test_the_interpreter_is_the_one_of_the_virtual_environment():
    words = shlex.split(hook_command("Stop"))

    assert words[:5] == [os.path.abspath(sys.executable), "-I", "-S", str(LAUNCHER), "Stop"]
    assert LAUNCHER.is_file()


def test_what_a_hook_loads_is_compiled_beforehand(tmp_path):
    package = tmp_path / "reverie"
    shutil.copytree(LAUNCHER.parents[1], package, ignore=shutil.ignore_patterns("__pycache__"))

    assert install.precompile(package) == []

    compiled = {path.name.partition(".")[0] for path in package.rglob("*.pyc")}
    code = (
        f"import sys; sys.argv = ['launch.py', 'Stop', {str(tmp_path / 'home')!r}];"
        f"scope = {{'__file__': {str(package / 'hook/run.py')!r}, '__name__': 'run'}};"
        "exec(open(scope['__file__']).read(), scope); scope['main'](sys.argv);"
        "print(*(name.rpartition('.')[2] for name in sys.modules if name.startswith('reverie.')))"
    )
    ended = subprocess.run(
        [sys.executable, "-I", "-S", "-c", code], input="{}", capture_output=True, text=True, check=True
    )
    assert {"capture_event", "secrets", "spool"} <= set(ended.stdout.split()) <= compiled


# ---- status


def states(env: HomeEnv, project: Path) -> list[tuple[InstallScope, State]]:
    return [(found.scope, found.state) for found in install.installed(env, project)]


def test_status_says_where_hooks_are_and_how(settings, env, tmp_path):
    project = tmp_path / "shop"
    assert states(env, project) == []

    local = install.settings_path(InstallScope.PROJECT, env, project)
    do(plan_install(settings, env), env)
    do(plan_install(local, env), env)
    assert states(env, project) == [(InstallScope.PROJECT, State.CURRENT), (InstallScope.USER, State.CURRENT)]

    other = tmp_path / "other-python"
    other.touch()
    local.write_text(local.read_text().replace(os.path.abspath(sys.executable), str(other)))
    assert states(env, project)[0] == (InstallScope.PROJECT, State.OUTDATED)

    other.unlink()
    (broken, _) = install.installed(env, project)
    assert (broken.state, broken.reasons) == (State.BROKEN, (f"{other} does not exist",))

    settings.write_text(json.dumps({"disableAllHooks": True} | json.loads(settings.read_text())))
    assert states(env, project)[1] == (InstallScope.USER, State.OFF)


def test_the_clients_own_folder_setting_is_respected(tmp_path):
    env = HomeEnv(tmp_path, CLAUDE_CONFIG_DIR=str(tmp_path / "conf"))

    assert install.settings_path(InstallScope.USER, env, tmp_path) == tmp_path / "conf" / "settings.json"


# ---- the plug-in


def pretend_installed(settings: Path, folder: Path) -> None:
    """What the client writes when a person runs the two commands."""
    source = {"source": {"source": "directory", "path": str(folder)}}
    known = {"extraKnownMarketplaces": {"reverie-local": source}, "enabledPlugins": {"reverie@reverie-local": True}}
    settings.write_text(json.dumps(known))


def test_the_plug_in_is_written_and_removed(env, tmp_path):
    folder = tmp_path / "work space" / "plugin"

    assert install.write_plugin(folder, env) == (
        f"claude plugin marketplace add '{folder}'",
        "claude plugin install reverie@reverie-local",
    )
    assert commands(folder / "reverie" / "hooks" / "hooks.json") == [hook_command(event) for event in EVENTS]
    assert len((folder / "reverie" / "README.md").read_text().split()) > 40
    assert install.plan_plugin(folder, env).files == ()

    assert install.remove_plugin(folder, env) == (
        "claude plugin uninstall reverie@reverie-local",
        "claude plugin marketplace remove reverie-local",
    )
    assert not folder.exists()


def test_removing_the_plug_in_leaves_what_somebody_else_put_there(env, tmp_path):
    install.write_plugin(tmp_path / "plugin", env)
    (tmp_path / "plugin" / "reverie" / "mine.txt").touch()

    install.remove_plugin(tmp_path / "plugin", env)

    assert [path.name for path in (tmp_path / "plugin").rglob("*")] == ["reverie", "mine.txt"]


def test_status_notices_what_became_of_the_plug_in(settings, env, tmp_path):
    folder = tmp_path / "plugin"
    install.write_plugin(folder, env, home="/my notes")
    assert states(env, tmp_path) == []

    pretend_installed(settings, folder)
    (found,) = install.installed(env, tmp_path)
    assert (found.scope, found.state, found.home) == (InstallScope.PLUGIN, State.CURRENT, "/my notes")

    hooks = folder / "reverie" / "hooks" / "hooks.json"
    hooks.write_text(hooks.read_text().replace('"timeout": 10', '"timeout": 1'))
    assert states(env, tmp_path) == [(InstallScope.PLUGIN, State.OUTDATED)]

    install.write_plugin(folder, env, home="/my notes")
    assert states(env, tmp_path) == [(InstallScope.PLUGIN, State.CURRENT)]

    shutil.rmtree(folder)
    assert states(env, tmp_path) == [(InstallScope.PLUGIN, State.BROKEN)]


def test_a_plug_in_whose_interpreter_has_gone_is_renewed_for_the_workspace_that_it_names(settings, env, tmp_path):
    folder = tmp_path / "plugin"
    install.write_plugin(folder, env, home="/my notes")
    pretend_installed(settings, folder)
    hooks = folder / "reverie" / "hooks" / "hooks.json"
    good = hooks.read_bytes()
    hooks.write_text(hooks.read_text().replace(sys.executable, "/gone/bin/python"))
    (folder / "reverie" / "README.md").unlink()
    assert states(env, tmp_path) == [(InstallScope.PLUGIN, State.BROKEN)]

    assert install.refresh(env, tmp_path) == [folder]
    assert states(env, tmp_path) == [(InstallScope.PLUGIN, State.CURRENT)]
    assert hooks.read_bytes() == good
    assert install.refresh(env, tmp_path) == []


def test_a_plug_in_of_an_unknown_workspace_is_not_guessed_at(settings, env, tmp_path):
    pretend_installed(settings, tmp_path / "elsewhere" / "plugin")
    assert install.refresh(env, tmp_path) == []
    assert not (tmp_path / "elsewhere").exists()

    own = tmp_path / ".reverie" / "plugin"
    pretend_installed(settings, own)
    assert install.refresh(env, tmp_path) == [own]
    assert states(env, tmp_path) == [(InstallScope.PLUGIN, State.CURRENT)]


def test_a_plug_in_that_the_client_cannot_find_is_left_to_the_client(settings, env, tmp_path):
    settings.write_text(before := json.dumps({"enabledPlugins": {"reverie@reverie-local": True}}))

    assert install.refresh(env, tmp_path) == []
    assert settings.read_text() == before


# ---- with the real client


@pytest.fixture
def claude(tmp_path: Path) -> Any:
    sdk = pytest.importorskip("claude_agent_sdk")
    client = Path(sdk.__file__).parent / "_bundled" / "claude"
    if not client.is_file():
        pytest.skip("the SDK came without its client")
    environment = {"HOME": str(tmp_path), "PATH": os.environ["PATH"], "IS_SANDBOX": "1", "DISABLE_AUTOUPDATER": "1"}
    environment |= {"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1"}

    def run(command: str) -> str:
        words = [str(client), *shlex.split(command)[1:]]
        ended = subprocess.run(
            words, env=environment, cwd=tmp_path, capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False
        )
        assert ended.returncode == 0, ended.stdout + ended.stderr
        return ended.stdout + ended.stderr

    return run


@pytest.mark.client
def test_the_client_accepts_the_plug_in_and_status_sees_it(claude, env, tmp_path):
    folder = tmp_path / "plug in"
    install_commands = install.write_plugin(folder, env)

    for part in (folder, folder / "reverie"):
        said = claude(f"claude plugin validate {shlex.quote(str(part))}")
        assert "Validation passed" in said
        assert "refus" not in said.lower()  # what its directory would not take
    for command in install_commands:
        claude(command)
    assert states(env, tmp_path) == [(InstallScope.PLUGIN, State.CURRENT)]

    for command in install.remove_plugin(folder, env):
        claude(command)
    assert states(env, tmp_path) == []


@pytest.mark.client
def test_what_is_said_after_installing_a_plug_in_is_true(claude, reverie, tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))

    said = reverie("install", "claude-code", "--plugin").out
    assert "now run:" in said
    assert "in every session that starts after that" in said
    assert "from now on" not in said

    for command in json.loads(reverie("install", "claude-code", "--plugin", "--json").out)["commands"]:
        claude(command)
    said = reverie("install", "claude-code", "--plugin").out
    assert "now run:" not in said
    assert "in every session that starts from now on" in said


def test_hooks_that_would_fail_are_not_installed(tmp_path: Path) -> None:
    """An interpreter without RE2 beside it, as hooks see it; the command itself finds everything by PYTHONPATH."""
    bare = Path(sys.executable).resolve()
    packages = next(path for path in sys.path if path.endswith("site-packages"))
    variables = {"HOME": str(tmp_path), "PYTHONPATH": f"{LAUNCHER.parents[2]}:{packages}", "PATH": os.environ["PATH"]}
    hook = [str(bare), "-I", "-S", str(LAUNCHER), "Stop", str(tmp_path / "probe")]
    subprocess.run(hook, input=b"{}", env=variables, check=True)
    if (tmp_path / "probe" / "spool" / "current").exists():
        pytest.skip("this interpreter has RE2 beside it")

    command = [str(bare), "-m", "reverie", "install", "claude-code"]
    done = subprocess.run(command, env=variables, capture_output=True, text=True, check=False)

    assert done.returncode == 1
    assert "RedactorMissing" in done.stderr
    assert "virtual environment" in done.stderr
    assert not (tmp_path / ".claude").exists()


@pytest.mark.parametrize("variable", ["REVERIE_PROJECT_ENABLED", "CLAUDE_PROJECT_DIR", ""])
def test_a_hook_is_tried_where_nothing_has_opted_out(tmp_path: Path, monkeypatch: Any, variable: str) -> None:
    (tmp_path / ".reverie.toml").write_text("[project]\nenabled = false\n")
    monkeypatch.chdir(tmp_path)
    if variable:
        monkeypatch.setenv(variable, "false" if variable.startswith("REVERIE") else str(tmp_path))

    install.check_hook()
