"""Tags that coding agents write into a conversation themselves: a text in, the person's words and the host's parts out.

What stands between such tags was written by a program under the person's name: a reminder, the output of a hook, the
name of a command. So it is nobody's wish, and never learned from. It is kept beside the words, and nothing is lost.
"""

import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from reverie.records import JSON

HOST_SAID = "host_said"  # in an observation's metadata: the host's parts of what a person said

# By their hosts, as seen in prompts and transcripts. Only names that nobody else would use: what a person pastes in
# tags of their own is their message.
_NAMES = (
    # Claude Code
    "system-reminder", "task-notification", "command-[a-z]+", "local-command-[a-z]+", "bash-(?:input|stdout|stderr)",
    "[a-z-]{2,40}-hook", "user-memory-input", "ide_(?:opened_file|selection|diagnostics)", "teammate-message",
    "fork-boilerplate", "tool_use_error", "persisted-output", "new-diagnostics",
    # Codex
    "environment_context", "user_instructions", "user_shell_command", "turn_aborted", "subagent_notification",
    "permissions(?= instructions>)", "(?:permissions|apps|skills|plugins)_instructions", "collaboration_mode",
    "goal_context", "codex_internal_context", "realtime_conversation",
    # Gemini CLI
    "hook_context", "untrusted_context", "session_context", "loaded_context", "system_note",
)  # fmt: skip
_NAME = re.compile("|".join(_NAMES), re.ASCII | re.IGNORECASE)
# On one line, so that what is put between two parts of a text, a newline, cannot be part of one.
_TAG = re.compile(rf"<(/?)({_NAME.pattern})(?=[ \t/>])[^<>\n]*+>", re.ASCII | re.IGNORECASE)


class Parted(NamedTuple):
    """A text in two. `of_host` has each part with the place in `own` where it stood."""

    own: str
    of_host: tuple[tuple[int, str], ...] = ()

    @property
    def is_of_host(self) -> bool:
        """Whether a host wrote all of it."""
        return bool(self.of_host) and not self.own


def is_host_tag(name: str) -> bool:
    """Whether a host writes elements of this name.

    >>> is_host_tag("system-reminder"), is_host_tag("Command-Name"), is_host_tag("command")
    (True, True, False)
    """
    return _NAME.fullmatch(name) is not None


def parted(text: str) -> Parted:
    """The person's words, and what stands within a host's tags.

    >>> parted("Use tabs. <system-reminder>Use npm.</system-reminder>")
    Parted(own='Use tabs.', of_host=((9, '<system-reminder>Use npm.</system-reminder>'),))
    >>> parted("what is a <system-reminder>?")
    Parted(own='what is a <system-reminder>?', of_host=())
    """
    blocks = _blocks(text) if "<" in text else []
    if not blocks:
        return Parted(text)
    joined, parts, at = _Joined(), [], 0
    for start, end in blocks:
        joined.add(text[at:start])
        parts.append((joined.size, text[start:end]))
        at = end
    joined.add(text[at:])
    own = joined.text()
    lead, own = len(own) - len(own.lstrip()), own.strip()
    return Parted(own, tuple((min(max(0, place - lead), len(own)), part) for place, part in parts))


def as_metadata(said: Parted) -> dict[str, JSON]:
    """The host's parts as they are kept beside the person's words."""
    return {HOST_SAID: [[place, part] for place, part in said.of_host]} if said.of_host else {}


def from_metadata(metadata: Mapping[str, JSON]) -> tuple[tuple[int, str], ...]:
    """The host's parts again. What is not of their form is left out: a program may call something of its own so.

    >>> from_metadata(as_metadata(parted("<hook_context>x</hook_context> hi")))
    ((0, '<hook_context>x</hook_context>'),)
    """
    kept = metadata.get(HOST_SAID)
    pairs = [one for one in kept if isinstance(one, list) and len(one) == 2] if isinstance(kept, list) else []
    return tuple((place, part) for place, part in pairs if isinstance(place, int) and isinstance(part, str))


def whole(own: str, of_host: Iterable[tuple[int, str]]) -> str:
    """The two together again, each part in its place.

    >>> whole(*parted("<hook_context>x</hook_context> Use tabs."))
    '<hook_context>x</hook_context>\\nUse tabs.'
    """
    joined, at = _Joined(), 0
    for place, part in of_host:
        joined.add(own[at:place])
        joined.add(part)
        at = place
    joined.add(own[at:])
    return joined.text()


def defused(text: str) -> str:
    """The text with every tag of a host made plain text. Other markup stays: in a conversation it is code.

    >>> defused("<b>see</b> <system-reminder>")
    '<b>see</b> &lt;system-reminder>'
    """
    return _TAG.sub(lambda tag: f"&lt;{tag[0][1:]}", text) if "<" in text else text


class _Joined:
    """Pieces one after the other, on two lines where they would make a word or a tag that neither has."""

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self.size = 0

    def add(self, piece: str) -> None:
        if not piece:
            return
        if self._pieces and not self._pieces[-1].endswith("\n") and not piece.startswith("\n"):
            piece = f"\n{piece}"
        self._pieces.append(piece)
        self.size += len(piece)

    def text(self) -> str:
        return "".join(self._pieces)


def _blocks(text: str) -> list[tuple[int, int]]:
    """Return the places of the host's parts, in order.

    A part may hold tags of its own name. If more of them are opened than closed, it goes to the last that is closed;
    and one that is closed once more than it was opened goes on to there, because what stands in a part may pretend to
    be its end. A tag that is never closed is a mention, unless a line begins with it: then the host wrote all the rest.
    """
    tags = [tag for tag in _TAG.finditer(text) if not _is_quoted(text, tag)]
    last_closed = {tag[2].lower(): number for number, tag in enumerate(tags) if tag[1]}
    blocks: list[tuple[int, int]] = []
    inside, depth, start, end = "", 0, 0, 0
    last = ""  # the name of the last block
    for number, tag in enumerate(tags):
        name, closes = tag[2].lower(), bool(tag[1])
        if depth and name == inside:
            depth += -1 if closes else 0 if tag[0].endswith("/>") else 1
            end = tag.end() if closes else end
        elif depth:
            continue
        elif closes:
            if blocks and name == last:
                blocks[-1] = (blocks[-1][0], tag.end())
            continue
        elif tag[0].endswith("/>"):
            blocks.append(tag.span())
            last = name
            continue
        elif last_closed.get(name, -1) > number:
            inside, depth, start = name, 1, tag.start()
        elif _begins_line(text, tag.start()):
            return [*blocks, (tag.start(), len(text))]
        if inside and (not depth or number == last_closed[inside]):
            blocks.append((start, end))
            last, inside, depth = inside, "", 0
    return blocks


def _begins_line(text: str, at: int) -> bool:
    while at and text[at - 1] in " \t":
        at -= 1
    return at == 0 or text[at - 1] == "\n"


def _is_quoted(text: str, tag: re.Match[str]) -> bool:
    return text[tag.start() - 1 : tag.start()] == "`" and text[tag.end() : tag.end() + 1] == "`"
