"""Tool items -> the steps that were taken: what was done, whatever it was done to.

A step is a tool, and for a shell its program ("Bash git commit"); a command line of several commands is several steps.
What a step was done to becomes a slot (<path>, <number>, …) wherever it was not the same each time.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from reverie.records import JSON, ItemType, MemoryItem

_SHELLS = frozenset(
    (
        "bash",
        "shell",
        "sh",
        "terminal",
        "exec",
        "run_terminal_cmd",
        "execute_command",
        "run_shell_command",
        "run_command",
    )
)
_INTERPRETERS = frozenset(
    ("python", "python3", "node", "ruby", "perl", "bash", "sh", "zsh", "deno", "bun", "php", "npx", "uv")
)
# Whoever only looks has not done anything yet.
_LOOKING_TOOLS = frozenset(
    ("read", "grep", "glob", "ls", "search", "websearch", "webfetch", "list_dir", "read_file", "view")
)
_LOOKING = frozenset(
    ("cat", "ls", "head", "tail", "grep", "rg", "find", "less", "pwd", "wc", "which", "tree", "stat", "file", "sed",
     "awk", "echo", "git status", "git log", "git diff", "git show", "git branch")
)  # fmt: skip
_NEUTRAL = frozenset(("cd", "export", "source", "set", ".", "sleep", "true", "clear"))
_FILE_TOOLS = frozenset(
    ("edit", "write", "multiedit", "notebookedit", "create", "str_replace", "apply_patch", "write_file")
)
_NO_SUBCOMMAND = _LOOKING | frozenset(
    ("rm", "cp", "mv", "mkdir", "touch", "curl", "wget", "chmod", "kill", "ssh", "scp")
)

_QUOTED = re.compile(r"\"(?:[^\"\\]|\\.)*\"|'[^']*'")
_AND_THEN = re.compile(r"\s*(?:&&|\|\||;|\n)\s*")
_PREFIX = re.compile(r"^(?:(?:sudo|time|nohup|command|env)\s+|timeout\s+\S+\s+|\w+=\S*\s+)+")
_TOKEN = re.compile(r"(?:\"(?:[^\"\\]|\\.)*\"|'[^']*'|[^\s\"'])+")
_SUBCOMMAND = re.compile(r"[a-z][a-z:-]*$")
_LONGEST = 300  # characters of one command that are read

_KINDS = (
    ("url", re.compile(r"[a-z]+://\S+")),
    ("hash", re.compile(r"(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7,64}")),
    ("date", re.compile(r"\d{4}-\d\d-\d\d\S*")),
    ("version", re.compile(r"v?\d+(?:\.\d+)+\S*")),
    ("number", re.compile(r"[+-]?\d+(?:[.,]\d+)?")),
    ("path", re.compile(r"\S*/\S*|~\S*|[\w-]+\.\w{1,5}|\.")),
)


@dataclass(frozen=True, slots=True)
class Step:
    """One thing that was done. `name` is what repetitions are counted by, `given` the words it was done with."""

    name: str
    given: tuple[str, ...]
    item: MemoryItem
    looks: bool  # it changes nothing
    is_specific: bool  # it says more than "edited a file"

    @property
    def worked(self) -> bool:
        return self.item.type is not ItemType.ERROR and not self.item.metadata.get("failed")


def steps_of(item: MemoryItem) -> Iterator[Step]:
    """The steps of one tool item; none if it is not one."""
    tool = item.metadata.get("tool")
    if item.type not in (ItemType.TOOL_RESULT, ItemType.ERROR) or not isinstance(tool, str) or not tool:
        return
    command = _command(tool, item.metadata.get("input"))
    if not command:
        looks, generic = tool.lower() in _LOOKING_TOOLS, tool.lower() in _FILE_TOOLS
        given = _first_text(item.metadata.get("input"))
        yield Step(tool, (given,) if given else (), item, looks, is_specific=not looks and not generic)
        return
    for part in _commands(command):
        tokens = tuple(_TOKEN.findall(_PREFIX.sub("", part)))
        if tokens and tokens[0] not in _NEUTRAL:
            name = _program(tokens)
            looks = name in _LOOKING or tokens[0] in _LOOKING
            yield Step(f"{tool} {name}", tokens, item, looks, is_specific=not looks)


def shown(steps: Sequence[Step]) -> str:
    """One step of several runs, with slots for what differed.

    >>> item = MemoryItem(id="1", type=ItemType.TOOL_RESULT, text="", created_ms=0, metadata={"tool": "Bash"})
    >>> shown([Step("Bash pytest", ("pytest", "-q", path), item, False, True) for path in ("tests/a.py", "tests/b.py")])
    'Bash: pytest -q <path>'
    """
    tool = str(steps[0].item.metadata["tool"])
    columns = list(zip(*(step.given for step in steps), strict=False))
    words = [column[0] if len(set(column)) == 1 else f"<{_kind(column)}>" for column in columns]
    if len({len(step.given) for step in steps}) > 1:
        words.append("<arguments>")
    return f"{tool}: {' '.join(words)}" if words else tool


def _kind(values: Sequence[str]) -> str:
    """Name what the values of a slot have in common."""
    for name, pattern in _KINDS:
        if all(pattern.fullmatch(value.strip("'\"")) for value in values):
            return name
    return "text"


def _command(tool: str, given: JSON) -> str:
    if tool.lower() not in _SHELLS:
        return ""
    value = given.get("command", given.get("cmd")) if isinstance(given, dict) else given
    return value.strip()[:_LONGEST] if isinstance(value, str) else ""


def _first_text(given: JSON) -> str:
    if isinstance(given, dict):
        given = next((value for value in given.values() if isinstance(value, str) and value), "")
    return " ".join(given.split())[:80] if isinstance(given, str) else ""


def _commands(line: str) -> list[str]:
    """A command line as single commands. What stands in quotes is not looked into."""
    line = line.replace("\0", " ")
    quotes = iter(_QUOTED.findall(line))
    parts = _AND_THEN.split(_QUOTED.sub("\0", line))
    return [re.sub("\0", lambda _: next(quotes), part) for part in parts]


def _program(tokens: Sequence[str]) -> str:
    """The program and what it is told to do: `git commit`, `python -m build`, `make test`."""
    program = tokens[0].rsplit("/", 1)[-1] if tokens[0].startswith("/") else tokens[0]
    rest = [word for word in tokens[1:4] if not word.startswith("-") or word == "-m"]
    if program in _INTERPRETERS:
        return " ".join([program, *(rest[:2] if rest[:1] == ["-m"] else rest[:1])])
    if rest and program not in _NO_SUBCOMMAND and _SUBCOMMAND.match(rest[0]):
        return f"{program} {rest[0]}"
    return program
