r"""Text in, the same text without secrets out. Nothing is stored, logged or sent to a model before it was here.

Each secret value becomes a mark such as `[secret:github-token]`; its surroundings stay. `<private>` blocks and our own
injected context go too. Every step is linear in the length of the text: RE2 for the patterns, bounded looks at a hit.
What is looked for is in the neighbours, by what gives it away: `secret_shapes` (its own form), `secret_names` (the name
it stands under), `secret_commands` (its place on a command line); and where `secret_rare` has seen a mark of it,
`secret_blocks` (what takes several lines), `secret_layouts` (tables, sentences) and `secret_cells` (HTML).
`secret_encoded` looks into base64. `secret_patterns` has the words and formats, `secret_values` weighs what was found.

A hook uses this module in an interpreter that was started with `-I -S`, so it imports nothing but its neighbours.
Without RE2's extension, which `secret_search` loads by path, it raises `RedactorMissing`: then nothing may be stored.
"""

# Named this way, a hook can put them into `sys.modules` and needs no package around them.
from reverie.redact.secret_commands import commands
from reverie.redact.secret_names import KINDS, has_several, is_receipt, meaning_under, named
from reverie.redact.secret_patterns import DRAWN, MARKED, SHAPES, TOKENS
from reverie.redact.secret_rare import rare
from reverie.redact.secret_search import (
    BOUNDARY,
    RedactorMissing,
    has_escape,
    neighbour,
    splice,
    use_extension,
)
from reverie.redact.secret_shapes import drawn, placed, tags, tokens
from reverie.redact.secret_values import weigh

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

    from reverie.redact.secret_search import Span

    Step = Callable[[bytes], list[Span]]

__all__ = ["RedactorMissing", "kinds", "redact", "redact_json", "use_extension"]


def kinds() -> list[str]:
    """Every kind that a mark may name, sorted."""
    named = (
        "password secret token key session cookie pin authorization url-password private-key aws-secret discord-token"
    )
    tables = [entry[0] for entry in TOKENS] + [entry[0] for entry in DRAWN] + [entry[0] for entry in SHAPES]
    tables += [entry[0] for entry in MARKED.values()]
    return sorted({kind.rstrip("!?") for kind in tables} | set(named.split()))


# The rare ones, and where they are. Some come before the others, since what they find may hold a token.
_FIRST = {"private_keys": "secret_blocks", "web_keys": "secret_blocks"}
_AMID = {
    "manifests": "secret_blocks",
    "fields": "secret_blocks",
    "tables": "secret_layouts",
    "inserts": "secret_layouts",
    "maps": "secret_layouts",
    "sentences": "secret_layouts",
    "cells": "secret_cells",
}
_DEEPEST = 2  # base64 within base64 is decoded; what is within that, no more
_WEB_KEY = frozenset(("d", "p", "q", "dp", "dq", "qi"))


def _scrub(data: bytes) -> bytes:
    # With one secret gone, what stands before it may read differently. That takes odd texts, so large ones, where it
    # would cost milliseconds, are read once; others until nothing changes.
    for _ in range(5):
        before = data
        data = tags(data)
        if data.find(b"\x1b") >= 0 or has_escape(data, b"\\u001"):
            data = _scrub_coloured(data)
        else:
            for step in _steps(data):
                data = splice(data, step(data))
        if data == before or len(data) > 32_768:
            break
    return data


def _steps(data: bytes, depth: int = 0) -> "Iterable[Step]":
    """Return the searches for this text, in order. `depth`: how often it was decoded to come here."""
    if not (found := rare(data)):
        return (tokens, _drawn_at(depth), placed, commands, named)
    first, amid = (
        [getattr(neighbour(place), name) for name, place in steps.items() if name in found] for steps in (_FIRST, _AMID)
    )
    return (*first, tokens, _drawn_at(depth), placed, *amid, commands, named)


def _drawn_at(depth: int) -> "Step":
    """The look for tokens with a long run of letters, which also looks into base64 if it is not too deep."""
    if depth >= _DEEPEST:
        return drawn
    inside: Step = lambda data: neighbour("secret_encoded").encoded(data, lambda text: _kind_in(text, depth + 1))  # noqa: E731
    return lambda data: drawn(data, inside)


def _kind_in(text: bytes, depth: int) -> str:
    """The kind of the first secret in a text that was decoded, "" if it has none."""
    return next((spans[0][2] for step in _steps(text, depth) if (spans := step(text))), "")


def _scrub_coloured(data: bytes) -> bytes:
    """Colours may stand anywhere, also within a secret or its name. So it is the text without them that is looked at.

    But first, since a colour may also end a word, for tokens with it.
    """
    first: tuple[Step, ...] = (tokens, drawn)
    for step in first:
        data = splice(data, step(data))
    blocks, known = neighbour("secret_blocks"), data
    plain, codes = blocks.without_colours(data)
    for step in _steps(plain):
        if data is not known:
            known = data
            plain, codes = blocks.without_colours(data)
        data = splice(data, blocks.in_colour(step(plain), codes))
    return data


def redact(text: str, name: str = "") -> str:
    """The text with each secret replaced by a mark. `name` is the key or variable under which the text stood.

    >>> redact("curl -u bob:hunter2 https://example.com")
    'curl -u bob:[secret:password] https://example.com'
    >>> redact("hunter2", name="password")
    '[secret:password]'
    """
    if name and (marked := _under(name, text)):
        return marked
    data = text.encode("utf-8", "surrogatepass")
    clean = _scrub(data)
    return text if clean == data else clean.decode("utf-8", "surrogatepass")


def _under(name: str, text: str) -> str:
    """Mask a text that is a secret because of the name it stands under; "" if it is none."""
    key, value = name.encode("utf-8", "surrogatepass"), text.encode("utf-8", "surrogatepass")
    meaning = meaning_under(key)
    if meaning in ("", "signature") or "[secret:" in text:
        return ""
    if meaning in ("auth", "cookie"):  # a header: only a part of its value is secret
        head = b"cookie: " if meaning == "cookie" else b"auth: " if len(key) < 13 else b"authorization: "
        whole = splice(head + value, named(head + value))[len(head) :]
        return "" if whole == value else whole.decode("utf-8", "surrogatepass")
    if is_receipt(key, value):
        return ""
    return f"[secret:{KINDS.get(meaning, meaning)}]" if weigh(meaning, value.strip(), "quoted") else ""


def redact_json(value: "Any") -> "Any":
    """The same value with every string and key redacted, at any depth. What was passed in stays as it is.

    All strings are redacted as one text with a boundary between them, so that a small string costs little.

    >>> redact_json({"env": [{"name": "DB_PASSWORD", "value": "hunter2"}], "pin": 4711})
    {'env': [{'name': 'DB_PASSWORD', 'value': '[secret:password]'}], 'pin': '[secret:pin]'}
    """
    holder = [value]
    texts: list[str] = []
    owners: list[Any] = []  # for each text, its container, which is a copy,
    slots: list[Any] = []  # and its index or key there
    boxes: list[dict[Any, Any]] = []
    waiting: list[tuple[Any, Any, str]] = [(holder, "", "")]
    announced: dict[str, bool] = {}  # whether a name does
    while waiting:
        box, name, above = waiting.pop()  # the last: a name in the plural, of whose secrets this is a map
        is_map, flag = isinstance(box, dict), ""
        if is_map:
            boxes.append(box)
            name = box.get("name", box.get("key", name))  # {"name": "DB_PASSWORD", "value": "..."}
        for key, item in list(box.items()) if is_map else enumerate(box):
            called = (flag or name) if not is_map or key == "value" else key  # a flag: ["--password", "..."]
            if is_map and isinstance(key, str):
                if key[-5:] == "Value":  # {"ParameterKey": "DbPassword", "ParameterValue": "..."}
                    called = box.get(f"{key[:-5]}Key", called)
                elif len(key) < 3 and "kty" in box and isinstance(item, str) and _is_web_key(box["kty"], key, item):
                    box[key] = "[secret:private-key]"
                    continue
            called = called if isinstance(called, str) else ""
            called = f"{above}_{called}" if above and len(called) < 100 else called
            flag = ""
            if (is_announced := announced.get(called)) is None:
                is_announced = announced[called] = (
                    len(called) < 200 and meaning_under(called.encode("utf-8", "surrogatepass")) != ""
                )
            if isinstance(item, str):
                if not is_map and item[:1] == "-":
                    flag = item
                if is_announced and (mark := _under(called, item)):
                    box[key] = mark
                else:
                    texts.append(item)
                    owners.append(box)
                    slots.append(key)
            elif isinstance(item, (dict, list)):
                box[key] = item = item.copy()
                is_map_of_secrets = is_map and is_announced and isinstance(item, dict)
                is_map_of_secrets = is_map_of_secrets and (
                    above != "" or has_several(called.encode("utf-8", "surrogatepass"))
                )
                waiting.append((item, called, (above or called) if is_map_of_secrets else ""))
            elif is_announced and type(item) in (int, float) and (mark := _under(called, str(item))):
                box[key] = mark
    for i, new in _changed(texts):
        owners[i][slots[i]] = new
    _redact_keys(boxes)
    return holder[0]


def _is_web_key(kind: "Any", key: str, item: str) -> bool:
    """Whether this is a private part of a JSON web key."""
    return (key == "k" if kind == "oct" else key in _WEB_KEY) and len(item) >= 16 and "[secret:" not in item


def _changed(texts: list[str]) -> list[tuple[int, str]]:
    """The position and the new form of each text that had a secret."""
    if not texts:
        return []
    joined = BOUNDARY.join([text.encode("utf-8", "surrogatepass") for text in texts])
    clean = _scrub(joined)
    if clean == joined:
        return []
    new = [data.decode("utf-8", "surrogatepass") for data in clean.split(BOUNDARY)]
    return [(i, text) for i, text in enumerate(new) if text != texts[i]]


def _redact_keys(boxes: "list[dict[Any, Any]]") -> None:
    # A short name is nothing else, and most keys are short names.
    names = {key: None for box in boxes for key in box if isinstance(key, str)}
    keys = [key for key in names if len(key) > 15 or not key.isidentifier()]
    new = {keys[i]: name for i, name in _changed(keys)}
    for box in boxes if new else ():
        if not new.keys().isdisjoint(box):
            items = list(box.items())
            box.clear()
            for key, item in items:
                name = new.get(key, key)
                while name in box:  # two secrets, one mark: both values are kept
                    name += "+"
                box[name] = item
