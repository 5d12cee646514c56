"""Bytes of a file that a person edits -> text and lines, whatever its encoding and line ends are."""

import codecs

UTF_16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


def lines_of(text: str) -> list[str]:
    """Split into lines as an editor counts them: neither a form feed nor a rarer character of Unicode ends one.

    >>> lines_of("a\\fb\\r\\nc\\n")
    ['a\\x0cb', 'c']
    """
    return text.replace("\r\n", "\n").replace("\r", "\n").removesuffix("\n").split("\n") if text else []


def text_of(data: bytes) -> str:
    """Decode a person's file, for reading alone. A line that is not UTF-8 is taken for the older Western encoding.

    >>> text_of("René\\n".encode("latin-1") + "André".encode())
    'René\\nAndré'
    """
    if data.startswith(UTF_16):
        return data.decode("utf-16", "replace")
    return "".join([_decoded(line) for line in data.removeprefix(codecs.BOM_UTF8).splitlines(keepends=True)])


def said(line: bytes) -> str:
    """Decode one line without its end. A file saved in another encoding has our words in it, and not our bytes."""
    return _decoded(line.rstrip(b"\r\n"))


def _decoded(line: bytes) -> str:
    try:
        return line.decode()
    except UnicodeDecodeError:
        return line.decode("cp1252", "replace")


def line_end(data: bytes) -> bytes:
    """Return what most lines end with. A lone \\r only where there is no \\n: before one it would be part of that."""
    if b"\n" not in data:
        return b"\r" if b"\r" in data else b"\n"
    return b"\r\n" if 2 * data.count(b"\r\n") > data.count(b"\n") else b"\n"


def bullet(text: str) -> str:
    return "- " + " ".join(text.split())


def uncommented(text: str) -> str:
    """Remove the comments from a file: they are for the person who edits it.

    >>> uncommented("I am Sam. <!-- say\\nmore --> I type fast.")
    'I am Sam.  I type fast.'
    """
    kept, at = [], 0
    while (start := text.find("<!--", at)) >= 0:
        kept.append(text[at:start])
        end = text.find("-->", start)
        at = end + 3 if end >= 0 else len(text)
    return "".join([*kept, text[at:]])


def said_in(line: str) -> str:
    """Return what a line says, without comments and the marks of a list; '' for a heading or a rule.

    >>> said_in("- [ ] I am colour blind <!-- red -->"), said_in("## Me"), said_in("<!-- x -->"), said_in("---")
    ('I am colour blind', '', '', '')
    """
    text = uncommented(line).strip()
    text = text.lstrip("-*+> ").removeprefix("[ ]").removeprefix("[x]").strip() if not text.startswith("#") else ""
    return text if any(character.isalnum() for character in text) else ""
