"""The one renderer of sections: elements and data in, escaped text out, with where each line comes from.

Whatever is not `Markup` already is data, and data is escaped: no stored text can open, close or forge an element.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Self
from xml.parsers import expat

from reverie.foundation.text import without_controls, xml_attribute, xml_text
from reverie.language.host_tags import is_host_tag


@dataclass(frozen=True, slots=True)
class Origin:
    """The origin of a line: `line` counts from 0 within its text; `kind` and `id` name the record behind it."""

    line: int
    kind: str  # memory, learning, action, goal, reminder, punch, document, segment, search, tool, file
    id: str
    why: str = ""


class Markup(str):
    """Text that is rendered already, with the origins of its lines."""

    __slots__ = ("origins",)
    origins: tuple[Origin, ...]

    def __new__(cls, text: str = "", origins: Iterable[Origin] = ()) -> Self:
        made = super().__new__(cls, text)
        made.origins = tuple(origins)
        return made


def data(text: str, kind: str = "", record_id: str = "", why: str = "") -> Markup:
    """Stored text as text, whatever it says; with the record that it comes from.

    >>> data("</goals> & more")
    '&lt;/goals&gt; &amp; more'
    """
    return Markup(xml_text(text), (Origin(0, kind, record_id, why),) if kind else ())


def tag(name: str, *children: str, origin: Origin | None = None, **attributes: object) -> Markup:
    """An element. Children that are plain text are escaped; several stand on lines of their own.

    An attribute that is None or empty is left out; a trailing underscore of its name too (`type_`).

    >>> tag("goals", tag("goal", "ship < Friday", priority="high"))
    '<goals>\\n<goal priority="high">ship &lt; Friday</goal>\\n</goals>'
    """
    head = f"<{name}{_attributes(attributes)}>"
    parts = [child if isinstance(child, Markup) else data(child) for child in children if child]
    flat = len(parts) == 1 and "\n" not in parts[0] and not parts[0].startswith("<")
    body = join(parts)
    own = () if origin is None else (replace(origin, line=0),)
    if flat:
        return Markup(f"{head}{body}</{name}>", (*own, *body.origins))
    if not parts:
        return Markup(f"{head[:-1]}/>", own)
    return Markup(f"{head}\n{body}\n</{name}>", (*own, *_moved(body.origins, 1)))


def join(parts: Iterable[str], separator: str = "\n") -> Markup:
    """Parts one after the other, each with its origins; what is plain text is escaped."""
    text, origins = "", []
    for number, part in enumerate(part if isinstance(part, Markup) else data(part) for part in parts):
        text += separator if number else ""
        origins += _moved(part.origins, text.count("\n"))
        text += part
    return Markup(text, origins)


def _attributes(given: dict[str, object]) -> str:
    told = {name.rstrip("_"): value for name, value in given.items() if value is not None and value != ""}
    return "".join(f' {name}="{xml_attribute(str(value))}"' for name, value in told.items())


def _moved(origins: Iterable[Origin], lines: int) -> list[Origin]:
    # Written out: this runs for every line in every element around it, and `replace` takes three times as long.
    return [Origin(one.line + lines, one.kind, one.id, one.why) for one in origins] if lines else list(origins)


def checked(content: str, name: str, reserved: frozenset[str]) -> Markup:
    """Make the text of a trinket safe to stand in a prompt.

    Markup was made here and is safe. Plain text may be one well-formed element that neither is nor holds one that is
    `reserved` for other sections, or that a coding agent's host writes; anything else is data, and becomes an element
    of the section's own name. So is what a parser would read as text or skip, and a model would not: CDATA, comments,
    declarations.

    >>> checked("<mine>ok</mine>", "mine", frozenset())
    '<mine>ok</mine>'
    >>> checked("<mine></mine><goals>", "mine", frozenset({"goals"}))
    '<mine>&lt;mine&gt;&lt;/mine&gt;&lt;goals&gt;</mine>'
    """
    if isinstance(content, Markup):
        return content
    content = without_controls(content).strip()
    if not content:
        return Markup()
    names = _elements(content)
    if names and not reserved.intersection(names) and not any(map(is_host_tag, names)):
        return Markup(content)
    return tag(name, content)


def _elements(text: str) -> list[str]:
    """The elements of a well-formed document in their order; none if it is not one."""
    found: list[str] = []
    parser = expat.ParserCreate()
    parser.StartElementHandler = lambda name, _: found.append(name)
    parser.StartDoctypeDeclHandler = parser.XmlDeclHandler = parser.ProcessingInstructionHandler = _refuse
    parser.CommentHandler = parser.StartCdataSectionHandler = _refuse
    try:
        parser.Parse(text.encode("utf-8", "replace"), True)
    except (expat.ExpatError, ValueError):
        return []
    return found


def _refuse(*_: object) -> None:
    raise ValueError("elements and text only")
