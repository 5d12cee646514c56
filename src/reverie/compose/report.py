"""Errors and refused sections in, lines of the report out: what is missing from a prompt, and why."""

import logging
import re

from reverie.compose.composer import Missing
from reverie.compose.profiles import BASE
from reverie.compose.workers import Late
from reverie.errors import StoreError
from reverie.events import TrinketContentEvent

_LOG = logging.getLogger(__name__)
_INFRASTRUCTURE = (OSError, StoreError)  # timeouts and lost connections are OSErrors
MAX_SECTION_CHARS = 200_000  # a longer section is left out and named: it would crowd out everything else
_SECTION_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]{0,79}")


def failure(section: str, trinket: str, error: Exception) -> Missing:
    """Say what went wrong, judged by the type of the error or of what it was raised from; logged here.

    >>> failure("goals", "GoalsTrinket", ConnectionResetError("by peer"))
    Missing(section='goals', trinket='GoalsTrinket', kind='infrastructure', why='ConnectionResetError: by peer')
    """
    if isinstance(error, Late):
        _LOG.warning("%s is missing from a prompt: %s", section, error)
        return Missing(section, trinket, "late", str(error))
    chain: list[BaseException] = [error]
    while (cause := chain[-1].__cause__) is not None and cause not in chain:
        chain.append(cause)
    is_world = any(isinstance(one, _INFRASTRUCTURE) for one in chain)
    _LOG.error("%s is missing from a prompt", section, exc_info=None if is_world else error)
    why = one_line(f"{type(error).__name__}: {error}")
    return Missing(section, trinket, "infrastructure" if is_world else "logic", why)


def refusal(event: TrinketContentEvent, user_id: str, owner: str | None) -> Missing | None:
    """Say why a section may not stand in the prompt of this user; None if it may. `owner` is its own trinket."""
    name, trinket = event.variable_name, event.trinket_name
    if event.user_id != user_id:
        why = "it was asked for one user and spoke for another"
    elif not isinstance(event.content, str):
        why = f"it said {type(event.content).__name__}, not a text; nothing to say is ''"
    elif owner not in (None, trinket) or not may_be_section(name):
        why = f'it may not speak for the section "{one_line(name)}"'
    elif len(event.content) > MAX_SECTION_CHARS:
        why = f"it has {len(event.content):,} characters; at most {MAX_SECTION_CHARS:,} are shown"
        _LOG.warning("%s of %s is left out: %s", name, trinket, why)
        return Missing(name, trinket, "too_long", why)
    else:
        return None
    _LOG.error("%s is left out: %s", trinket, why)
    return Missing(name, trinket, "logic", why)


def may_be_section(name: str) -> bool:
    """Tell whether a section may have this name, which may become that of an element.

    >>> may_be_section("my_section"), may_be_section("a b"), may_be_section("base_prompt")
    (True, False, False)
    """
    return bool(_SECTION_NAME.fullmatch(name)) and name != BASE


def one_line(text: str, most: int = 300) -> str:
    """Cut a text to one line of a report.

    >>> one_line("it\\nbroke")
    'it broke'
    """
    return " ".join(text[: 2 * most].split())[:most]
