"""Small functions on text that more than one room needs: cut it for a view, escape it for a frame.

Everything here is pure. The log keeps whole texts; only what is shown is cut.
"""

import re
from collections.abc import Sequence

# What XML 1.0 cannot hold at all, not even as an entity: most control characters, lone surrogates, two non-characters.
_NOT_XML = re.compile("[^\t\n\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")

# What a terminal takes for a command: colours, moves of the cursor, titles of windows.
_TERMINAL = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]{0,1000}(?:\x07|\x1b\\)|[@-Z\\^_])")


def uncoloured(text: str) -> str:
    """Text without the commands that colour a terminal: to a search, a word with one before it is another word.

    >>> uncoloured("\\x1b[31mFAILED\\x1b[0m tests")
    'FAILED tests'
    """
    return _TERMINAL.sub("", text) if "\x1b" in text else text


def whole_letters(text: str) -> str:
    """Text that can be written as UTF-8. Half a surrogate pair cannot: it stands for a byte in a name that is none.

    >>> whole_letters("caf\\udce9")
    'caf�'
    """
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def clip(text: str, limit: int) -> str:
    """At most `limit` characters: 60 % from the head, 30 % from the tail, and between them how much was left out.

    The head says what a thing is, the tail how it ended; a log without its last lines hides the error.

    >>> clip("short", 10)
    'short'
    >>> clip("the head " * 20 + "-" * 900 + " the tail" * 20, 80)
    'the head the head the head[… 1210 characters left out …]e tail the tail the tail'
    """
    if len(text) <= limit:
        return text
    tail = limit * 3 // 10
    # The mark counts what is left out, and its own digits are part of the sum: settle it from the longest case.
    longest_mark = len(_mark(len(text)))
    head = min(limit * 6 // 10, limit - tail - longest_mark)
    if head <= 0:
        return text[: max(limit, 0)]
    return text[:head] + _mark(len(text) - head - tail) + text[len(text) - tail :]


def _mark(count: int) -> str:
    return f"[… {count} characters left out …]"


def fair_shares(lengths: Sequence[int], most: int, total: int) -> list[int]:
    """How much of each text to show: short ones whole, long ones share what is left, none over `most`.

    >>> fair_shares([10, 500, 900], most=400, total=600)
    [10, 295, 295]
    """
    shares = [0] * len(lengths)
    left = total
    by_length = sorted(range(len(lengths)), key=lambda index: lengths[index])
    for place, index in enumerate(by_length):
        shares[index] = min(lengths[index], most, left // (len(lengths) - place))
        left -= shares[index]
    return shares


def xml_text(text: str) -> str:
    """Text that stays text inside an element, whatever it says.

    >>> xml_text("a < b && </turn>")
    'a &lt; b &amp;&amp; &lt;/turn&gt;'
    """
    text = text.replace("\r\n", "\n").replace("\r", "\n")  # a parser would do it, so that both sides agree
    text = _NOT_XML.sub("\ufffd", text)
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def xml_attribute(text: str) -> str:
    """The same for the value of an attribute, in double quotes and on one line.

    >>> xml_attribute('Bash" ref="o1')
    'Bash&quot; ref=&quot;o1'
    """
    return xml_text(text).replace('"', "&quot;").replace("\n", " ").replace("\t", " ")


def title_line(text: str, limit: int = 80) -> str:
    """The first line of a text that says something, short enough for a list.

    >>> title_line("  I moved to   Lisbon last week", 12)
    'I moved to…'
    """
    line = next((flat for line in text.splitlines() if (flat := " ".join(line.split()))), "")
    if len(line) <= limit:
        return line
    return line[: limit - 1].rsplit(" ", 1)[0] + "…"


def plural(thing: str) -> str:
    """More than one of a thing.

    >>> plural("summary"), plural("day"), plural("fact")
    ('summaries', 'days', 'facts')
    """
    return f"{thing[:-1]}ies" if thing.endswith("y") and thing[-2] not in "aeiou" else f"{thing}s"
