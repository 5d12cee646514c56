"""Values in, the same without secrets out: the inputs of a prompt before they are rendered, and the text of a section.

Secrets are looked for in values only. In finished markup a name and a random id beside it look like a token, so there
each text and each attribute is looked at by itself, as it reads without its escapes, and the markup around it stays.
"""

import re
from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from html import unescape
from typing import Any, Protocol

from reverie.compose.markup import Markup
from reverie.foundation.text import xml_attribute, xml_text


class Clean(Protocol):
    """Takes the secrets out of a text. `name` is the key under which it stood, where it had one."""

    def __call__(self, text: str, name: str = "", /) -> str: ...


def cleaned(value: Any, clean: Clean) -> Any:
    """The same value with every text in it cleaned, at any depth; ids and what is no text stay.

    >>> cleaned({"note": ["my pin", 3]}, lambda text, name="": text.replace("pin", "***"))
    {'note': ['my ***', 3]}
    """
    if type(value) is str:
        return clean(value)
    if isinstance(value, list | tuple):
        return type(value)([cleaned(one, clean) for one in value])
    if isinstance(value, Mapping):
        return {key: cleaned(one, clean) for key, one in value.items()}
    if not is_dataclass(value) or isinstance(value, type):
        return value
    changed = {}
    for field in fields(value):
        before = getattr(value, field.name)
        if field.name not in ("id", "key") and not field.name.endswith("_id"):
            after = cleaned(before, clean)
            if after != before:
                changed[field.name] = after
    return replace(value, **changed) if changed else value


_TAG = re.compile(r"""<(?P<end>/?)(?P<name>[^\s<>/"']+)(?P<rest>(?:[^<>"']|"[^"]*"|'[^']*')*)>""")
_ATTRIBUTE = re.compile(r"""(?P<name>[^\s=<>"']+)(?P<is>\s*=\s*)(?:"(?P<double>[^"]*)"|'(?P<single>[^']*)')""")


def cleaned_markup(content: Markup, clean: Clean, *, by_names: bool) -> Markup:
    """A section with each of its texts and attributes cleaned; every tag stays where it is.

    `by_names` also takes the names of elements and attributes for the keys of their values; ours are no keys.

    >>> hide = lambda text, name="": "***" if name == "pin" else text.replace("4711", "****")
    >>> cleaned_markup(Markup('<a id="1" pin="x">it is 4711 &lt; 5</a>'), hide, by_names=True)
    '<a id="1" pin="***">it is **** &lt; 5</a>'
    """
    parts: list[str] = []
    inside = [""]
    at = 0
    for found in _TAG.finditer(content):
        parts.append(_text(content[at : found.start()], inside[-1] if by_names else "", clean))
        at = found.end()
        if found["end"]:
            parts.append(found[0])
            inside = inside[:-1] or [""]
            continue
        rest = _ATTRIBUTE.sub(lambda one: _attribute(one, by_names, clean), found["rest"])
        parts.append(f"<{found['name']}{rest}>")
        if not rest.endswith("/"):
            inside.append(found["name"])
    parts.append(_text(content[at:], "", clean))
    return Markup("".join(parts), content.origins)


def _text(escaped: str, name: str, clean: Clean) -> str:
    if not escaped.strip():
        return escaped
    said = unescape(escaped)
    shown = clean(said, name)
    return escaped if shown == said else xml_text(shown)


def _attribute(found: re.Match[str], by_names: bool, clean: Clean) -> str:
    value = unescape(found["double"] if found["double"] is not None else found["single"])
    shown = clean(value, found["name"] if by_names else "")
    return found[0] if shown == value else f'{found["name"]}{found["is"]}"{xml_attribute(shown)}"'
