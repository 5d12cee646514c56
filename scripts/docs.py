"""Writes the pages that say what the code says: docs/settings.md and docs/commands.md. `--check` only compares."""

import ast
import sys
from pathlib import Path

import click

from reverie.settings import Settings, knobs
from reverie.shells.cli.main import cli

ROOT = Path(__file__).parents[1]

# The settings that people do set, each in one sentence. All others have a default that hardly anybody changes.
COMMON = {
    "person.first_name": "What the agent calls you.",
    "person.time_zone": "Your time zone, such as `Europe/Berlin`, if it is not the machine's.",
    "project.enabled": "Whether anything is captured and told; `false` in a project's `.reverie.toml` leaves it out.",
    "model.daily_dollars": "What models may cost a day; no model is asked until you set it.",
    "model.provider": "Which kind of model to ask: `anthropic`, or `openai` for any Chat Completions server.",
    "model.name": "The model's name.",
    "model.base_url": "The address of a server of your own, such as `http://localhost:11434/v1`.",
    "model.key_variable": "The environment variable that holds the key, if it is not the provider's usual one.",
    "embed.provider": "How texts become vectors: built in, by a small local model, or by a server.",
    "privacy.log": "Whether personal data is masked in the log, too (`strict`), or only in memory.",
    "privacy.email": "Whether e-mail addresses are kept, masked or dropped; the other kinds have a setting each.",
    "retention.tool_results_days": "How long what tools printed is found; the other kinds have a setting each.",
    "context.max_chars": "How much an agent is told when a session starts.",
    "compose.profile": "Whether a chat model searches memory itself (`active`), or is only told (`ambient`).",
    "continuum.segment_minutes": "After how long a silence a conversation is summarised and begun anew.",
}

COMPLETION = [
    "## Completion",
    "",
    "Your shell can complete commands and options after one line in its start-up file:",
    "",
    "| shell | file | line |",
    "|---|---|---|",
    '| bash | `~/.bashrc` | `eval "$(_REVERIE_COMPLETE=bash_source reverie)"` |',
    '| zsh | `~/.zshrc`, after `compinit` | `eval "$(_REVERIE_COMPLETE=zsh_source reverie)"` |',
    "| fish | `~/.config/fish/completions/reverie.fish` | `_REVERIE_COMPLETE=fish_source reverie \\| source` |",
]


def settings_page() -> str:
    """List the settings that people set, then all of them, with the reasons from the comments in settings/values.py."""
    source = ROOT / "src" / "reverie" / "settings" / "values.py"
    lines = source.read_text(encoding="utf-8").splitlines()
    out = [
        "# Settings",
        "",
        "In `reverie.toml` in the workspace; a variable such as `REVERIE_MODEL_DAILY_DOLLARS` wins over the file.",
        "For one command, an argument wins over both: `reverie --set model.daily_dollars=0.5 chat`.",
        "",
        "## Settings that people set",
        "",
        "| setting | default | what it does |",
        "|---|---|---|",
        *(f"| `{path}` | `{default_of(path)!r}` | {sentence} |" for path, sentence in COMMON.items()),
        "",
        "## Rules",
        "",
        "A key that is none, a value that is out of bounds and a variable that is nearly one of ours are errors.",
        "So is a variable that begins with one of our sections, such as `REVERIE_MODEL_…`, and is none of ours.",
        "Any other `REVERIE_…` is ignored, and `status` and `doctor` say so.",
        "A project opts out with a file `.reverie.toml` in its root: `[project]`, `enabled = false`.",
        "In `reverie.toml`, or as `REVERIE_PROJECT_ENABLED=false`, the same switches capture off everywhere.",
        "No variable brings in a project that opted out.",
        "",
        'Personal data that `[privacy]` masks or drops is kept out of memory; the log has it, until `log = "strict"`.',
        "Then it is masked on its way into the log, by any door: text, speaker, metadata, tools' input and answers.",
        "So search, rebuilds, `export` and the models that Reverie asks see the mask, and nobody gets it back.",
        "What was logged before stays; `reverie forget --hard` removes it.",
        "A hook's event waits unmasked in a spool file until it is taken in: within a second, where a steward runs.",
        "Names of sessions and projects stay, ids that a program gives, reminders, documents and files of your own.",
        "",
        "This page is written by `scripts/docs.py`.",
        "",
        "## All settings",
        "",
        "A setting that an older version had and this one does not is ignored: `status` and `doctor` name it.",
        "They say what its value is fixed at now.",
        "",
        "| setting | default | takes | reason |",
        "|---|---|---|---|",
    ]
    sections = {kind.__class__.__name__: name for name, kind in vars_of(Settings()).items()}
    for node in ast.parse("\n".join(lines)).body:
        if isinstance(node, ast.ClassDef) and (node.name in sections or node.name == "Settings"):
            prefix = f"{sections[node.name]}." if node.name in sections else ""
            for field in node.body:
                line = lines[field.lineno - 1]
                if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name) and "#" in line:
                    reason = line.split("  # ", 1)[1]
                    default = ast.unparse(field.value) if field.value else ""
                    path = f"{prefix}{field.target.id}"
                    out.append(f"| `{path}` | `{default}` | {knobs()[path].takes} | {reason} |")
    return "\n".join(out) + "\n"


def default_of(path: str) -> object:
    section, _, name = path.partition(".")
    return getattr(getattr(Settings(), section), name)


def vars_of(settings: Settings) -> dict[str, object]:
    names = Settings.__dataclass_fields__
    return {name: getattr(settings, name) for name in names if hasattr(getattr(settings, name), "__dataclass_fields__")}


def commands_page() -> str:
    """List the help text of every command, in the order of `reverie --help`."""
    context = click.Context(cli, info_name="reverie", terminal_width=100)
    out = ["# Commands", "", "This page is written by `scripts/docs.py` from the commands themselves.", ""]
    out += [*COMPLETION, ""]
    out += ["## reverie", "", "```text", cli.get_help(context), "```", ""]
    for name in cli.list_commands(context):
        command = cli.get_command(context, name)
        assert command is not None
        out += help_of(command, context, name)
    return "\n".join(out).rstrip() + "\n"


def help_of(command: click.Command, parent: click.Context, name: str) -> list[str]:
    context = click.Context(command, info_name=name, parent=parent, terminal_width=100)
    out = [f"## {context.command_path}", "", "```text", command.get_help(context), "```", ""]
    if isinstance(command, click.Group):
        for inner in command.list_commands(context):
            found = command.get_command(context, inner)
            assert found is not None
            out += help_of(found, context, inner)
    return out


PAGES = {"settings.md": settings_page, "commands.md": commands_page}


def main() -> None:
    stale = []
    for name, page in PAGES.items():
        path = ROOT / "docs" / name
        text = page()
        if "--check" in sys.argv:
            if not path.exists() or path.read_text(encoding="utf-8") != text:
                stale.append(name)
        else:
            path.write_text(text, encoding="utf-8")
    if stale:
        sys.exit(f"out of date: {', '.join(stale)}; run `python scripts/docs.py`")


if __name__ == "__main__":
    main()
