"""A message -> the passages that its writer wrote as sentences: no code, logs, diffs, quotes, mails or transcripts.

What is pasted into a message looks like the message. A comment in a listing says "always", a chat log says "remind me",
a mail says "I prefer". So this goes by form: fences, marks at the start of lines, shapes of code and logs, and the line
above that says "here is the mail:". A line too many taken out costs a memory; a line too few invents one.
"""

import re
from bisect import bisect
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import NamedTuple

from reverie.distil.rules.phrases import quick, words
from reverie.language.host_tags import parted

# People put what they want at the start or at the end of a message; the middle of a huge one is something pasted. So
# only this much of both ends is read, and a message of a megabyte costs no more than one of 12 KB.
_END_CHARS = 6_000


class OwnLine(NamedTuple):
    """A line in the writer's own words. `follows_quote` if it answers something quoted above it."""

    text: str
    is_listed: bool = False
    follows_quote: bool = False


def passages(message: str) -> Iterator[list[OwnLine]]:
    """The paragraphs of a message, with only the lines in the writer's own words.

    >>> [[line.text for line in lines] for lines in passages("Why?\\n\\n> use npm\\n\\nNo, pnpm.\\n  at f (x.js:1)")]
    [['Why?'], ['No, pnpm.']]
    """
    text = _without_blocks(_ends(message).replace("\r\n", "\n").replace("\r", "\n").expandtabs(4))
    lines = text.split("\n")
    pasted = _Pasted(lines)
    paragraph: list[OwnLine] = []
    shower = ""  # the line that shows what comes below it
    shown = after_quote = False  # whether some of that has come; whether the last thing was a quote
    for line, following in pairwise([*lines, _END]):
        stripped = line.strip()
        if not stripped:
            if paragraph:
                yield paragraph
                paragraph = []
            if shown and not _LOOKS_OVER.search(shower):
                shower, shown = "", False
        elif stripped == _TAKEN_OUT:
            shower, shown = "", False
        elif stripped[0] in ">❯":
            after_quote, shower = True, ""
        elif pasted.has(line, stripped):
            shown = shown or (bool(shower) and stripped[0] != "#")  # under a heading there is more to come
        elif shower:
            shown = True
        else:
            item = _LIST_ITEM.match(stripped)
            paragraph.append(OwnLine(stripped[item.end() :] if item else stripped, item is not None, after_quote))
            after_quote = False
            shower = stripped if _shows_something(stripped, following) else ""
    if paragraph:
        yield paragraph


def _ends(message: str) -> str:
    if len(message) <= 2 * _END_CHARS:
        return message
    head, tail = message[:_END_CHARS], message[-_END_CHARS:]
    close = "```" if head.count("```") % 2 else ""
    reopen = "```" if message.count("```", 0, len(message) - _END_CHARS) % 2 else ""
    return f"{head}\n{close}\n\n{reopen}\n{tail}"


# ---- blocks of lines

_END = "."  # stands after the last line, which no paragraph follows
_TAKEN_OUT = "```"  # stands where a block was, so that a line that shows it has shown something
_FENCES = "`~\"'<"  # what every fence and tag begins with
_INLINE_FENCE = re.compile(r"```[^`\n]*```")
_FENCED = re.compile(r"^ *(```|~~~|\"{3}|'{3}).*?(?:^ *\1[^\n]*$|\Z)", re.MULTILINE | re.DOTALL)
_QUOTED_LINES = re.compile(r"^ *[\"“„«][^\"“”»]*[\"“”»][.,]? *$", re.MULTILINE)
_QUOTATION_MARKS = '"“„«'
_TAG = re.compile(r"^ *<([A-Za-z][\w-]*)\b[^<>\n]*>", re.MULTILINE)
_GREETING = re.compile(  # with its first letters once more in front, which few lines have
    r"\n *(?=[bdhl])(?:hi|hello|dear|hey|hallo|liebe[rs]?|hola|bonjour)\b[^.!?:\n]{0,30},? *$",
    re.IGNORECASE | re.MULTILINE,
)
_SIGN_OFF = re.compile(
    r"^ *(?:(?:best|kind|warm|many)? ?regards|best|cheers|thanks|sincerely|yours|viele grüße|lg|mfg"
    r"|saludos)\b.{0,20}$",
    re.IGNORECASE | re.MULTILINE,
)


_HEADS = "From|To|Cc|Date|Sent|Subject|Von|An|Datum|Gesendet|Betreff"
_MAIL_HEAD = re.compile(rf"^(?:{_HEADS}):.*\n(?:(?:{_HEADS}):.*\n)+", re.MULTILINE)
# A letter that a message begins with. Who greets the agent may sign too, but has nothing more to say below.
_TO_SOMEBODY = re.compile(
    r"\s*(?:hi|hello|dear|hey|hallo|liebe[rs]?|hola|bonjour) (?!(?:there|again|claude|codex|copilot|gemini|chatgpt"
    r"|assistant|agent|bot)\b)[^\W\d_][\w -]{1,30},",
    re.IGNORECASE,
)
_SIGNED = re.compile(
    r"(?:^ *|[.!?] +)(?i:(?:(?:best|kind|warm|many) )?regards|best|cheers|thanks|sincerely|yours|br"
    r"|(?:viele|liebe) grüße|gruß|lg|vg|mfg|saludos)[,!]?\s+[A-Z]\w+(?: [A-Z]\w+)? *(?=\n *\n)",
    re.MULTILINE,
)
_POINTS_UP = ("^", "↑", "→", "->", "=>")


def _without_blocks(text: str) -> str:
    if any(map(text.__contains__, _FENCES)):
        text = _without_fenced(text)
    if "\n" in text:
        text = _without_letter_on_top(text)
        text = _without_mail_below_head(text)
    if text.count("\n") > 2:
        if any(map(text.__contains__, _QUOTATION_MARKS)):
            text = _QUOTED_LINES.sub(lambda quote: _TAKEN_OUT if "\n" in quote[0].strip() else quote[0], text)
        text = _without_mails(text)
    return text


def _without_letter_on_top(text: str) -> str:
    """Without a letter to somebody else, if something is said about it below."""
    greeting = _TO_SOMEBODY.match(text)
    signed = _SIGNED.search(text, greeting.end()) if greeting else None
    return _TAKEN_OUT + text[signed.end() :] if signed and text[signed.end() :].strip() else text


def _without_mail_below_head(text: str) -> str:
    """Without everything from "From: …" on. The last paragraph stays, if something shows that the mail ended before."""
    heads = list(_MAIL_HEAD.finditer(text)) if ":" in text else []
    if not heads:
        return text
    last = text.rstrip().rfind("\n\n", heads[-1].end()) + 2
    has_ended = last > 1 and (text[last:].startswith(_POINTS_UP) or _SIGNED.search(text, heads[-1].end(), last))
    return f"{text[: heads[0].start()]}{_TAKEN_OUT}\n{text[last:] if has_ended else ''}"


def _without_fenced(text: str) -> str:
    """Without what stands between fences or tags."""
    if "```" in text:
        text = _INLINE_FENCE.sub(" ", text)
    if "```" in text or "~~~" in text or '"""' in text or "'''" in text:
        text = _FENCED.sub(_TAKEN_OUT, text)
    # A log of before may have a host's parts among a person's words.
    return _without_tagged(parted(text).own) if "</" in text else text


def _without_tagged(text: str) -> str:
    """Without <tag>…</tag> that begins a line: context from a host, something marked as pasted."""
    kept, at = [], 0
    unclosed = set()
    for tag in _TAG.finditer(text):
        if tag.start() < at or tag[1] in unclosed:
            continue
        end = text.find(f"</{tag[1]}", tag.end())
        if end < 0:
            unclosed.add(tag[1])
            continue
        kept.append(f"{text[at : tag.start()]}{_TAKEN_OUT}\n")
        at = text.find(">", end) + 1 or len(text)
    return "".join([*kept, text[at:]])


def _without_mails(text: str) -> str:
    """Without what stands between "Hi Jon," on a line of its own, not the first, and "Regards, …"."""
    greetings = list(_GREETING.finditer(text))
    if not greetings:
        return text
    ends = [sign_off.end() for sign_off in _SIGN_OFF.finditer(text)]
    kept, at = [], 0
    for greeting in greetings:
        start = greeting.start() + 1
        after = bisect(ends, greeting.end())
        if start >= at and after < len(ends):
            kept.append(f"{text[at:start]}{_TAKEN_OUT}\n")
            at = ends[after]
    return "".join([*kept, text[at:]])


# ---- lines

_LIST_ITEM = re.compile(r"(?:[-*•–] {1,2}|(?:\d{1,2}[.):]|\(?[a-z]\))\s+)(?=[^\s#/{}+-])")
_LOOKS_PASTED = re.compile(
    r"""
      [{}\[\]<|$\#/\\=&%^~;)✓✔✖✗✘⚠●■└├│┌→⎿] | \*/ | "{3} | '{3}               # code, markup, tables, prompts
    | @\w+[.(] | @(?:media|import|charset|reboot|daily)\b
    | [-+](?![\s>]) | [-+]\s{2,} | [-+]\s*[\#/{}]                           # diffs; a list item is "- word"
    | (?:let|var|const|val|auto|int|string)\s\w+(?:\s*:\s*[\w<>\[\]]+)?\s*=
    | (?:async\s)?(?:def|fn|func|function|class|struct|enum|interface|impl|trait|module|namespace)\s\w+\s*(?:[:({<]|$)
    | (?:import|from|export|package|using|require)\s\S+(?:$|;|\s(?:from|import)\s)
    | import\s.{1,200}\sfrom\s | export\s(?:default|const)
    | (?:public|private|protected|static|return|throw|raise|await|except|elif)\b.*[;{:)]$
    | (?:if|for|while|switch|else|try|with)\b.*(?:\{|\)\s*:)$ | (?:Scenario|Feature):|Background:$
    | (?:SELECT|INSERT\sINTO|UPDATE|DELETE\sFROM|CREATE|ALTER|DROP|WITH|FROM|WHERE|RUN|COPY|ENV|CMD|WORKDIR)\s
    | \d{4}[-/]\d\d[-/]\d\d[T\s]\d\d: | \d\d:\d\d:\d\d | [IWEF]\d{4}\s\d\d:
    | (?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)\s+\d+\s\d\d:\d\d
    | (?:INFO|WARN(?:ING)?|ERROR|DEBUG|TRACE|FATAL|CRITICAL|NOTICE|FAIL(?:ED)?)\b[:\s\]]
    | npm\s(?:ERR|WARN|error|warn|notice)\b | (?:error|warning|fatal|panic)(?:\[\w+\])?:\s
    | (?:hint|remote|warn|info|debug)(?::|\s-)\s | \(node:\d+\)
    | [VDIWEF]/[\w.]{2,40}\s?\(\s*\d+\): | Traceback\s | Exception\s | Caused\sby: | at\s\S+\s?\(
    | (?:From|To|Cc|Subject|Date|Sent|Von|An|Betreff):\s
    """,
    re.VERBOSE,
)
_SIGNS = re.compile(r"[:;{}=<(\\|\[]")  # without one of these a line has nothing of what follows
# The rest of what lines of logs begin with: any word, and then a sign.
_LOOKS_LOGGED = re.compile(
    r"[\w-]+:\s(?:\[|\(\d)|[\w.-]+\s+\|\s|\S*(?:Error|Exception|Warning):\s|\w+\[\d+\]:|\S+:\d+:(?:\d+:)?\s"
    r"|(?:\w+=\S+\s+){2}"
)
# With RE2, because this one is looked for at every place of a line.
_IN_CODE = quick(r"[;{}]\s*$|\)\s*[;{]|=>|[=!<>]==?\s|\w\(\)\s*;|</|\s:=\s|^\w+\s*=\s|\\[bdwn]\b|\w\(r?[\"']")
_RECORD = re.compile(r"[^\s,]+(?:,[^\s,][^,]*)+$")  # a row of a table with commas between the columns
_SPEAKER = re.compile(
    r"\W{0,3}(?:\d\d?:\d\d\S*\s+)?(?:\[[^\]]{1,20}\]\s+)?@?([^\W\d_][\w.-]{1,20})(?:\s[^\W\d_][\w.-]{1,15})?"
    r"(?:\s(?:on|in|via)\s\#?\w+)?(?:\s[\[(][^\])]{1,20}[\])])?(?::\s|\s\d\d?:\d\d(?:\s[AP]M)?$)"
)
_INLINE_SPEAKER = re.compile(r"(?:^|[.!?\]]\s+)[A-Z][a-z]+:\s")
_ON_SLACK = re.compile(r"^\S+ (?:on|in|via) (?:slack|teams|discord|irc|chat)\b.{0,40}?:", re.IGNORECASE)
_NOT_A_SPEAKER = words(
    "todo to remember note again fyi ps btw important urgent for follow edit update context also later reminder next "
    "rule rules one two first second please so add stack setup env os ci db correction wrong no and high low "
    "question goal background task preference fact action tomorrow asap plus nb info merke wichtig achtung hinweis "
    "recuerda nota"
)


class _Pasted:
    """Tells pasted lines, by the line itself and by what else is in the message."""

    def __init__(self, lines: list[str]) -> None:
        some = lines[:300]
        text = "\n".join(["", *some])
        self._shapes: list[Callable[[str], bool]] = []  # that some lines have in common
        if text.count(":") > 1 and sum(map(_is_spoken, some)) > 1:
            self._shapes.append(_is_spoken)
        if text.count(",") > 1 and sum(map(_is_record, some)) > 1:
            self._shapes.append(_is_record)
        if "/*" in text:
            self._shapes.append(_is_comment)
        if "\n+" in text and "\n-" in text:
            self._shapes.append(_is_change)

    def has(self, line: str, stripped: str) -> bool:
        if self._shapes and any(has_shape(line) for has_shape in self._shapes):
            return True
        if (line[:2] == "  " or _LOOKS_PASTED.match(stripped)) and not _LIST_ITEM.match(stripped):
            return True
        if not _SIGNS.search(stripped):
            return False
        if _LOOKS_LOGGED.match(stripped) and not _LIST_ITEM.match(stripped):
            return True
        if "`" not in stripped and _IN_CODE(stripped.encode("utf-8", "replace")):
            return True
        if ":" not in stripped:
            return False
        return _ON_SLACK.match(stripped) is not None or len(_INLINE_SPEAKER.findall(stripped)) > 1


def _is_comment(line: str) -> bool:
    return line.lstrip().startswith("*")


def _is_change(line: str) -> bool:
    return line.startswith(("+", "-"))


def _is_record(line: str) -> bool:
    return "," in line and _RECORD.match(line) is not None


def _is_spoken(line: str) -> bool:
    speaker = _SPEAKER.match(line) if ":" in line else None
    return speaker is not None and speaker[1].casefold() not in _NOT_A_SPEAKER


# A line that ends with a colon shows something: what follows is material, unless the line says that rules or wishes
# follow. A line that asks to work on a text shows it without the colon too.
_OWN_LIST = re.compile(
    r"\b(?:from now on|going forward|in future|rules?|conventions?|preferences?|wishes|wish|remember|keep in mind"
    r"|notes?|todos?|to-?do|reminders?|follow-?ups?|backlog|fyi|btw|context|background|setup|stack|corrections?|facts?"
    r"|about me|(?:how|the way) (?:we|i) (?:like to )?work|always|never|please|für die zukunft|ab jetzt"
    r"|a partir de ahora|désormais|things? (?:to|i|you|for|about)"
    r"|(?:two|three|couple of|few|some|more|other|small) (?:things|points|requests|notes|comments|corrections))\b",
    re.IGNORECASE,
)
_MATERIAL = re.compile(
    r"\b(?:e?-?mail|message|logs?|error|text|snippet|code|output|readme|docs?|transcript|prompt|comment|reviewer?"
    r"|ticket|wording|grammar|phrasing|spelling"
    r"|issue|spec|paragraph|config|file|says|wrote|left|translate|summari[sz]e|proofread|extract|implement|write|build"
    r"|create|explain|rewrite|turn|minutes|meeting|json|yaml|strings?|function|persona|feature|page|endpoint|here is"
    r"|here's)\b",
    re.IGNORECASE,
)
_WORKS_ON_A_TEXT = re.compile(
    r"\b(?:translate|proof-?read|summari[sz]e|rephrase|reword|paraphrase|tl;?dr|shorten|polish|spell-?check"
    r"|(?:explain|complete|improve|review|check|answer|convert|port|format|sort)\s(?:this|these|the following)"
    r"|(?:this|that) (?:e?-?mail|message|letter|text|paragraph|review|comment|post|prompt|abstract|tweet|draft|ticket"
    r"|issue|transcript|announcement|thread)\b|^(?:this|here)(?:'s|s| is| are)\b|\b(?:review|check|improve|fix|read"
    r"|judge|rate) (?:my|our|the|her|his) (?:\w+ )?(?:letter|text"
    r"|readme|intro|bio|essay|abstract|proposal|pitch|post|description|ad|cv|resume|application|speech|statement)\b"
    r"|^(?:is|are) (?:this|these)\b|\b(?:sounds?|reads?) (?:ok|okay|good|right|fine"
    r"|natural|professional|polite)\b|the following|(?:as|below)$|\b(?:wording|tone|grammar|phrasing|spelling) of\b)",
    re.IGNORECASE,
)
_LONG_LINE = 120  # a line that long says more than what is to be done with the text below

# To look over how a text is written; then the text follows, with all its paragraphs.
_LOOKS_OVER = re.compile(
    r"\b(?:wording|tone|grammar|phrasing|spelling|style|flow) of (?:my|our|this|the|her|his|these)\b"
    r"|\b(?:review|check|improve|fix|polish|proof-?read|reword|rephrase|rewrite|shorten|edit) (?:my|our|this|these"
    r"|the) "
    r"(?:\w+ )?(?:commit message|description|release notes?|changelog entry|message|announcement|e?-?mail|letter|post"
    r"|abstract|article|essay|memo)\b",
    re.IGNORECASE,
)


def _shows_something(line: str, following: str) -> bool:
    if line[-1] == ":":
        return _OWN_LIST.search(line) is None or _MATERIAL.search(line) is not None
    is_last_of_paragraph = not following.strip()
    return is_last_of_paragraph and len(line) < _LONG_LINE and _WORKS_ON_A_TEXT.search(line) is not None
