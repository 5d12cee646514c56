"""Small functions on text that more than one room needs: cut it for a view, escape it for a frame.

Stored text goes out in three ways, and each has its one function: to a terminal by `without_controls`, into a context
by `inert`, into an element of a prompt by `xml_text`. The two others build on the first.

Everything here is pure. The log keeps whole texts; only what is shown is cut.
"""

import re
from collections.abc import Sequence

# What commands a terminal (ESC, BEL and the like, and the C1 block, which terminals read as ESC sequences), what turns
# the order of letters round (every character with the property Bidi_Control), and what XML 1.0 cannot hold at all: lone
# surrogates and two non-characters. Tabs and newlines are text.
_CONTROLS = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]"
)

# What may be read as a tag, a comment or a declaration. "a < b", "<=", "<-", "<3" and "a << 2" are none, "< b >" and
# "< /b" may be. Possessive, and never begun within a run of "<", so that every run is read once.
_TAG = re.compile(r"(?<!<)<++(?=[^\s\d=-]|\s++(?:/|[^\W\d][\w.:-]*+\s*+/?>))")

# What a terminal takes for a command: colours, moves of the cursor, titles of windows.
_TERMINAL = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]{0,1000}(?:\x07|\x1b\\)|[@-Z\\^_])")


def without_controls(text: str) -> str:
    """Text that cannot move a cursor, ring a bell or stand in another order than it is read. Each sign stays one sign.

    >>> without_controls("\\x1b[2Jdelete \\u202eall\\r\\n")
    '�[2Jdelete �all\\n'
    """
    if text.isascii() and text.isprintable():
        return text
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return _CONTROLS.sub("\ufffd", text)


def inert(text: str) -> str:
    """Text that can stand in what an agent is told: no control, and no tag, whoever reads such tags.

    Only the first sign of a tag is changed, and it is looked for in the text itself: in a copy in small letters it may
    stand elsewhere, because some capitals become two letters.

    >>> inert("if a < b: </reverie-context> <system-reminder>")
    'if a < b: &lt;/reverie-context> &lt;system-reminder>'
    """
    text = without_controls(text)
    return _TAG.sub(lambda found: "&lt;" * len(found[0]), text) if "<" in text else text


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
    """Say how many characters of each text to show: short ones whole, long ones share the rest, none over `most`.

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
    return without_controls(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


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
