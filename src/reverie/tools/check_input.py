"""The input of a tool's caller -> a text that may be stored, or the one thing that is meant by a shortened id."""

from collections.abc import Callable, Sequence
from typing import Protocol, TypeVar

from reverie.errors import BadInput
from reverie.foundation.text import plural

Clean = Callable[[str], str]
_SHOWN = 5  # of several things that may be meant


class _Kept(Protocol):
    @property
    def id(self) -> str: ...


K = TypeVar("K", bound=_Kept)


def one_line(text: str, what: str, limit: int, clean: Clean) -> str:
    """A text of one line without secrets; `what` names it in an error."""
    line = " ".join(text.split())
    if not line:
        raise BadInput(f"the {what} is empty; say something")
    return several_lines(line, what, limit, clean)


def several_lines(text: str, what: str, limit: int, clean: Clean) -> str:
    """A text without secrets, which may be empty."""
    whole = text.strip().encode("utf-8", "replace").decode()  # half a surrogate pair is no text
    if len(whole) > limit:
        raise BadInput(f"the {what} has {len(whole):,} characters; at most {limit:,} are kept: shorten it")
    return clean(whole)


def the_one(given: str, kept: Sequence[K], what: str, name: Callable[[K], str], several: str = "") -> K:
    """The thing with this id. It may be shortened to its first or last characters, or be the thing's own name."""
    wanted = given.strip().casefold()
    if not wanted:
        raise BadInput(f"say which {what}: its id, or the end of it; `list` shows them")
    for fits in (_is_id, _is_part, lambda one, text: name(one).casefold() == text):
        found = [one for one in kept if fits(one, wanted)]
        if len(found) == 1:
            return found[0]
        if found:
            shown = ", ".join(f"{one.id} ({name(one)})" for one in found[:_SHOWN])
            more = f" and {len(found) - _SHOWN} more" if len(found) > _SHOWN else ""
            them = f"{len(found)} {several or plural(what)}: {shown}{more}"
            raise BadInput(f"{given!r} may be any of {them}; give more of the id")
    raise BadInput(f"there is no {what} {given!r}; `list` shows them all")


def _is_id(one: _Kept, wanted: str) -> bool:
    return one.id.casefold() == wanted


_LEAST_START = 4  # characters: what is made in one month begins with the same few


def _is_part(one: _Kept, wanted: str) -> bool:
    whole = one.id.casefold()
    return whole.endswith(wanted) or (len(wanted) >= _LEAST_START and whole.startswith(wanted))
