"""Tool calls -> patterns: the same sequence of different steps, three times in a row.

A step is a tool, and for a shell its program ("Bash git commit"), whatever the arguments: editing three files and
testing after each is one habit. A pattern is reported once, in the turn in which its third repetition ends.
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import islice, takewhile

from reverie.distil.rules.phrases import words
from reverie.distil.source_trust import least_trusted, trust_of
from reverie.records import Kind, Learning, LearningType, Observation, ToolUse, Turn, is_recall

_REPEATS = 3
_LONGEST = 6  # steps; longer sequences that repeat three times are rare, and each length costs a pass

_SHELLS = words("bash shell sh terminal exec run_terminal_cmd execute_command run_shell_command run_command")
_WITH_SUBCOMMAND = words(
    "git docker podman kubectl helm terraform npm pnpm yarn bun deno cargo go make just task poetry uv pip conda gh "
    "glab dotnet mvn gradle ./gradlew gradlew bundle rails rake mix composer php artisan flutter dart swift nix apt "
    "brew systemctl ansible aws gcloud az vercel netlify npx pnpx bunx"
)
_INTERPRETERS = words("python python3 node ruby perl julia php bash sh zsh Rscript lua deno bun ts-node tsx")
_SKIPPED = re.compile(
    r"(?:(?:cd|export|source|set|\.)\s[^&;|]{0,300}(?:&&|;)\s*|(?:sudo|time|nohup|command)\s+|timeout\s+\S+\s+|\w+=\S*\s+)+"
)
_WRAPPERS = words("run exec compose x dlx tool")
_SHOWN = 60  # characters of a command
_WORD = re.compile(r"[A-Za-z][\w:-]*$")


def patterns(turn: Turn) -> list[Learning]:
    """The patterns whose third repetition ends in this turn."""
    own = [one for one in turn.observations if one.kind is Kind.TOOL_CALL and _is_work(one.tool)]
    if not own:
        return []
    # Three repetitions are enough history: if a run is longer, it was reported within them, before this turn.
    backwards = (one for one in reversed(turn.earlier_tools) if _is_work(one.tool))
    calls = [*islice(backwards, _REPEATS * _LONGEST)][::-1] + own
    if len(calls) < 2 * _REPEATS:
        return []
    # The last time of a sequence that ends in this turn lies within these. If they are all the same step, it is none.
    latest = calls[-len(own) - _LONGEST + 1 :]
    if len({step_of(one.tool) for one in latest if one.tool is not None}) == 1:
        return []
    steps = [step_of(one.tool) for one in calls if one.tool is not None]
    found: list[Learning] = []
    taken = 0  # the steps before this place belong to a pattern that was found
    for start, end, length in sorted(_runs(steps, len(calls) - len(own))):
        if start >= taken:
            found.append(_learning(calls, steps, start, end, length))
            taken = end
    return found


def _is_work(tool: ToolUse | None) -> bool:
    """To look into memory is no step of a habit."""
    return tool is not None and not is_recall(tool)


def _runs(steps: list[str], first_own: int) -> Iterator[tuple[int, int, int]]:
    """Yield start, end and length of each repeated sequence. The third time ends at `first_own` or later."""
    for length in range(2, _LONGEST + 1):
        same = 0
        for place in range(length, len(steps) + 1):
            if place < len(steps) and steps[place] == steps[place - length]:
                same += 1
                continue
            start = place - same - length
            third_ends = start + _REPEATS * length
            if (
                same >= (_REPEATS - 1) * length
                and third_ends > first_own
                and _is_a_sequence(steps[start : start + length])
            ):
                yield start, place, length
            same = 0


def _is_a_sequence(steps: list[str]) -> bool:
    """Different steps, and not a shorter sequence twice over."""
    half, rest = divmod(len(steps), 2)
    thirds = len(steps) // 3
    doubled = rest == 0 and steps[:half] == steps[half:]
    tripled = len(steps) % 3 == 0 and steps[:thirds] * 3 == steps
    return len(set(steps)) > 1 and not doubled and not tripled


def _learning(calls: list[Observation], steps: list[str], start: int, end: int, length: int) -> Learning:
    times = (end - start) // length
    shown = [_shown(calls[place:end:length], steps[place]) for place in range(start, start + length)]
    return Learning(
        type=LearningType.PATTERN,
        text=f"{', then '.join(shown)}: {times} times in a row"[:300],
        confidence=0.8,
        observation_id=calls[start + _REPEATS * length - 1].id,
        trust=trust_of(least_trusted(calls[start:end])),
    )


def _shown(calls: list[Observation], step: str) -> str:
    """A step as it was done: of a command, the words that were the same each time."""
    commands = [command_of(call.tool)[:_SHOWN].split() for call in calls if call.tool is not None]
    same = " ".join(words[0] for words in takewhile(lambda words: len(set(words)) == 1, zip(*commands, strict=False)))
    tool = calls[0].tool
    return f"{tool.name} `{same}`" if tool is not None and len(same) > len(step) - len(tool.name) else step


def step_of(tool: ToolUse) -> str:
    """The name of a step, whatever its arguments.

    >>> step_of(ToolUse("Bash", {"command": "cd web && npm run build -- --watch"})), step_of(ToolUse("Edit"))
    ('Bash npm run build', 'Edit')
    """
    return _step(tool.name, command_of(tool)[:500])


@lru_cache(maxsize=1_000)  # the same calls are looked at from turn to turn
def _step(tool: str, command: str) -> str:
    words = _SKIPPED.sub("", command, count=1).split()
    if not words:
        return tool[:_SHOWN]
    program = words[0].rsplit("/", 1)[-1] if words[0].startswith("/") else words[0]
    kept = [program]
    if program in _WITH_SUBCOMMAND:
        for word in words[1:4]:
            if word.startswith("-"):
                continue
            if not _WORD.match(word):
                break
            kept.append(word)
            if word not in _WRAPPERS:
                break
    elif program in _INTERPRETERS:
        kept += words[1:3] if words[1:2] == ["-m"] else words[1:2]
    return f"{tool} {' '.join(kept)}"[:_SHOWN]


def command_of(tool: ToolUse) -> str:
    """The command line that a shell tool was given, or nothing."""
    if not _is_shell(tool.name):
        return ""
    given = tool.input
    if isinstance(given, dict):
        given = given["command"] if "command" in given else given.get("cmd")
    return given.strip() if isinstance(given, str) else ""


@lru_cache(maxsize=1_000)
def _is_shell(name: str) -> bool:
    return name.casefold() in _SHELLS
