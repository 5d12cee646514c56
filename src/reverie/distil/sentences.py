"""A message -> the sentences its writer says: code, logs, diffs, quotes, mails, transcripts and suppositions taken out.

What is left may still be a question or somebody's words in quotation marks. So each sentence comes twice: as it was
written, and `plain`, in small letters with code and quotes blacked out, letter for letter at the same places. Cues are
looked for in the plain one, texts are cut from the written one.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

# People put what they want at the start or the end of a message; the middle of a huge one is something pasted. So
# only this much of both ends is read, and a message of a megabyte costs no more than one of 12 KB.
_END_CHARS = 6_000
_LONGEST_SENTENCE = 600  # what goes on longer without a full stop is not a sentence

CODE = "ǁ"  # stands for each character of inline code; a letter, so that patterns see a word
QUOTE = "ǂ"  # the same for each character between quotation marks


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence. `is_request` is a question that asks to do something: "could you always number them?"."""

    text: str
    plain: str
    is_question: bool = False
    is_request: bool = False
    is_listed: bool = False
    follows_quote: bool = False
    leads_to_question: bool = False


def sentences(message: str) -> list[Sentence]:
    """What the writer of a message says, in order.

    >>> [s.text for s in sentences('Always use tabs. Why? ```# never``` The log says: "never"')]
    ['Always use tabs.', 'Why?']
    """
    found: list[Sentence] = []
    for paragraph in _paragraphs(_ends(message)):
        supposing = False
        for sentence in _split(paragraph):
            supposing = supposing or bool(_SUPPOSES.match(sentence.plain) or _SHOWS_INLINE.match(sentence.plain))
            if not supposing and _REPORTS.search(sentence.plain) is None:
                found.append(sentence)
    return found


def _ends(message: str) -> str:
    if len(message) <= 2 * _END_CHARS:
        return message
    head, tail = message[:_END_CHARS], message[-_END_CHARS:]
    close = "```" if head.count("```") % 2 else ""
    reopen = "```" if message.count("```", 0, len(message) - _END_CHARS) % 2 else ""
    return f"{head}\n{close}\n\n{reopen}\n{tail}"


# ---- lines that are not the writer's own sentences

_LOOKS_PASTED = re.compile(
    r"""
      [{}\[\]<|$\#/\\=&%^~;)] | \*/ | @\w+[.(] | @(?:media|import|charset|reboot|daily)\b    # code, markup, tables, prompts
    | [-+](?![\s>]) | [-+]\s{2,} | [-+]\s*[\#/{}]                                     # diffs; a list item is "- word"
    | (?:let|var|const|val|auto|int|string)\s\w+(?:\s*:\s*[\w<>\[\]]+)?\s*=
    | (?:async\s)?(?:def|fn|func|function|class|struct|enum|interface|impl|trait|module|namespace)\s\w+\s*(?:[:({<]|$)
    | (?:import|from|export|package|using|require)\s\S+(?:$|;|\s(?:from|import)\s) | import\s.*\sfrom\s | export\s(?:default|const)
    | (?:public|private|protected|static|return|throw|raise|await|except|elif)\b.*[;{:)]$
    | (?:if|for|while|switch|else|try|with)\b.*(?:\{|\)\s*:|:)$(?<!\w\w\w\w:) | (?:Scenario|Feature|Background):
    | (?:SELECT|INSERT\sINTO|UPDATE|DELETE\sFROM|CREATE|ALTER|DROP|WITH|FROM|WHERE|RUN|COPY|ENV|CMD|WORKDIR)\s
    | \d{4}-\d\d-\d\d[T\s]\d\d: | \d\d:\d\d:\d\d | (?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)\s+\d+\s\d\d:\d\d
    | (?:INFO|WARN(?:ING)?|ERROR|DEBUG|TRACE|FATAL|CRITICAL|NOTICE|FAIL(?:ED)?)\b[:\s\]]
    | npm\s(?:ERR|WARN|error|warn|notice)\b | (?:error|warning|fatal|panic)(?:\[\w+\])?:\s
    | Traceback\s | Exception\s | Caused\sby: | at\s\S+\s?\( | \S*(?:Error|Exception|Warning):\s | \w+\[\d+\]:
    | (?:From|To|Cc|Subject|Date|Sent|Von|An|Betreff):\s
    | \S+:\d+:(?:\d+:)?\s | \d{4}/\d\d/\d\d\s | [IWEF]\d{4}\s\d\d: | (?:hint|remote|warn|info|debug)(?::|\s-)\s | [\w-]+:\s(?:\[|\(\d)
    | [✓✔✖✗✘⚠●■└├│┌→⎿]  | \(node:\d+\) | [\w.-]+\s+\|\s | (?:\w+=\S+\s+){2} | "{3} | '{3}
    """,
    re.VERBOSE,
)
_IN_CODE = re.compile(r"[;{}]\s*$|\)\s*[;{]|=>|[=!<>]==?\s|\w\(\)\s*;|</|\s:=\s|^\w+\s*=\s|\\[bdwn]\b|\w\(r?[\"']")
_RECORD = re.compile(r"[^\s,]+(?:,[^\s,][^,]*)+$")  # a line of a table with commas between the columns
_LIST_ITEM = re.compile(r"(?:[-*•–] {1,2}|(?:\d{1,2}[.):]|\(?[a-z]\))\s+)(?=[^\s#/{}+-])")
_TAG = re.compile(r"<([A-Za-z][\w-]*)\b[^<>]*>")
_SPEAKER = re.compile(
    r"\W{0,3}(?:\d\d?:\d\d\S*\s+)?(?:\[[^\]]{1,20}\]\s+)?@?([^\W\d_][\w.-]{1,20})(?:\s[^\W\d_][\w.-]{1,15})?"
    r"(?:\s(?:on|in|via)\s\#?\w+)?(?:\s[\[(][^\])]{1,20}[\])])?:\s"
)
_NOT_A_SPEAKER = frozenset(
    "todo to remember note again fyi ps btw important urgent for follow edit update context also later reminder next "
    "rule rules one two first second please so add stack setup env os ci db correction wrong no and high low question "
    "goal background task preference fact action tomorrow asap plus nb info merke wichtig achtung hinweis recuerda nota".split()
)
_INLINE_SPEAKER = re.compile(r"(?:^|[.!?\]]\s+)[A-Z][a-z]+:\s")
_SLACK = re.compile(r"^\S+ (?:on|in|via) (?:slack|teams|discord|irc|chat)\b.*?:", re.IGNORECASE)
_GREETING = re.compile(r"(?:hi|hello|dear|hey|hallo|liebe[rs]?|hola|bonjour)\b[^.!?:]{0,30},$", re.IGNORECASE)
_SIGN_OFF = re.compile(
    r"\W*(?:(?:best|kind|warm|many)?\s?regards|best|cheers|thanks|sincerely|yours|viele grüße|lg|mfg|saludos)\b.{0,20}$",
    re.IGNORECASE,
)
# A line that ends with a colon shows something: what follows is material, unless the line says that rules or
# wishes follow. A line that asks to work on a text shows it without the colon too.
_OWN_LIST = re.compile(
    r"\b(?:from now on|going forward|in future|rules?|conventions?|preferences?|wishes|wish|things? (?:to|i|you|for|about)"
    r"|remember|keep in mind|notes?|todos?|to-?do|reminders?|follow-?ups?|backlog|fyi|btw|context|background|setup|stack"
    r"|corrections?|facts?|about me|always|never|please|für die zukunft|ab jetzt|a partir de ahora|désormais"
    r"|(?:two|three|couple of|few|some|more|other|small) (?:things|points|requests|notes|comments|corrections))\b",
    re.IGNORECASE,
)
_MATERIAL = re.compile(
    r"\b(?:mail|e-?mail|message|log|logs|error|text|snippet|code|output|readme|docs?|transcript|prompt|comment|reviewer?"
    r"|ticket|issue|spec|paragraph|config|file|config|says|wrote|left|translate|summari[sz]e|proofread|extract|implement"
    r"|write|build|create|explain|rewrite|json|yaml|string|strings|function|persona|feature|page|endpoint|here is|here's)\b",
    re.IGNORECASE,
)
_WORKS_ON_A_TEXT = re.compile(
    r"\b(?:translate|proof-?read|summari[sz]e|rephrase|reword|paraphrase|tl;?dr|shorten|polish|spell-?check|"
    r"(?:explain|complete|improve|review|check|answer|convert|port|format|sort)\s(?:this|these|the following)|"
    r"the following|(?:as|below)$)",
    re.IGNORECASE,
)


@dataclass(slots=True)
class _Paragraph:
    lines: list[tuple[str, bool]]  # the line, and whether it is an item of a list
    follows_quote: bool = False


def _paragraphs(text: str) -> Iterator[_Paragraph]:
    """The paragraphs with only the lines that the writer may have written as sentences."""
    lines = text.replace("\r", "\n").expandtabs(4).split("\n")
    speakers = sum(_is_spoken(line) for line in lines[:200])
    has_table = sum(_RECORD.match(line) is not None for line in lines[:200]) > 1
    has_block_comment = "/*" in text
    has_diff = any(line.startswith("+") for line in lines) and any(line.startswith("-") for line in lines)
    current = _Paragraph([])
    fence = until = ""  # what closes the fence, and the block that a tag or a quotation mark has opened
    showing = in_mail = after_quote = False
    for number, line in enumerate(lines):
        stripped = line.strip()
        if fence:
            fence = "" if stripped.startswith(fence) else fence
            continue
        if until:
            if until not in line:
                continue
            stripped, until = line[line.index(until) + len(until) :].lstrip(">").strip(), ""
        if stripped.startswith(("```", "~~~")):
            fence = "" if stripped.count(stripped[:3]) > 1 else stripped[:3]
            showing = False
            continue
        if not stripped:
            yield current
            current = _Paragraph([], after_quote)
            showing = showing and number > 0 and lines[number - 1].rstrip() == shown_by
            continue
        if tag := _TAG.match(stripped):
            closing = f"</{tag[1]}"
            if closing in stripped:
                stripped = stripped[stripped.rindex(closing) :].partition(">")[2].strip()
            elif any(closing in later for later in lines[number + 1 :]):
                until = closing
                continue
        if in_mail:
            in_mail = _SIGN_OFF.match(stripped) is None
            continue
        if stripped.startswith((">", "❯")):
            after_quote, showing = True, False
            current.follows_quote = True
            continue
        if stripped[:1] in '"“„«' and not _closes_quote(stripped) and any(_closes_quote(one) for one in lines[number + 1 :]):
            until = {"“": "”", "„": "“", "«": "»"}.get(stripped[0], '"')
            continue
        if not stripped or showing or _is_pasted(line, stripped, speakers) or (has_diff and line[:1] in "+-"):
            continue
        if (has_block_comment and stripped[0] == "*") or (has_table and _RECORD.match(line)):
            continue
        if _GREETING.match(stripped) and number > 0:
            in_mail = any(_SIGN_OFF.match(later.strip()) for later in lines[number + 1 :])
            continue
        shown_by = line.rstrip()
        showing = _shows_something(stripped, number + 1 < len(lines) and not lines[number + 1].strip())
        item = _LIST_ITEM.match(stripped)
        current.lines.append((stripped[item.end() :] if item else stripped, item is not None))
    yield current


def _is_spoken(line: str) -> bool:
    match = _SPEAKER.match(line)
    return match is not None and match[1].casefold() not in _NOT_A_SPEAKER


def _is_pasted(line: str, stripped: str, speakers: int) -> bool:
    if line[:2] == "  " and not _LIST_ITEM.match(stripped):
        return True
    if _LOOKS_PASTED.match(stripped) and not _LIST_ITEM.match(stripped):
        return True
    if _IN_CODE.search(stripped) and "`" not in stripped:
        return True
    if _SLACK.match(stripped) or (speakers > 1 and _is_spoken(line)):
        return True
    return len(_INLINE_SPEAKER.findall(stripped)) > 1


def _shows_something(line: str, before_blank: bool) -> bool:
    if line.endswith(":"):
        return _OWN_LIST.search(line) is None or _MATERIAL.search(line) is not None
    return before_blank and len(line) < 120 and _WORKS_ON_A_TEXT.search(line) is not None


def _closes_quote(line: str) -> bool:
    return line.rstrip().rstrip(".,")[-1:] in tuple('"”“»') and len(line.strip()) > 1


# ---- sentences

_QUOTED = re.compile(
    r"""`+[^`\n]{1,300}`+
    | (?<![\w"])"(?=\S)[^"\n]{1,600}" | “[^”\n]{1,600}[”“] | „[^“”\n]{1,600}[“”] | «[^»\n]{1,600}»
    | (?<![\w'])'(?=[^\s'])(?:[^'\n]|'(?=\w)){1,300}'(?!\w) | (?<!\w)‘(?:[^’\n]|’(?=\w)){1,300}’(?!\w)""",
    re.VERBOSE,
)
_STOP = re.compile(r"[.!?…]+[)\]]*(?=\s|$)|(?<=\s)[:;]-?[)DPp(](?=[\s,.)]|$)")
_ABBREVIATION = re.compile(
    r"(?:\b(?:e\.g|i\.e|etc|vs|approx|incl|resp|cf|z\.b|bzw|ca|d\.h|u\.a|p\.ej|nr|dr|mr|mrs|st)|(?<![\w.])p)\.$"
)
# Where a second thought begins that is better looked at by itself: a question after a statement, another wish.
_TURN = re.compile(
    r"(?:[,;]|(?<=\w))\s+(?:(?:and|so|but|also|oh|then|und|y|et)\s+)*(?="
    r"(?:please\s|pls\s)?remind me\s(?:to|about|that)\b|don't let me forget\s\w|from now on\b|call me\s|i prefer\b"
    r"|my name is\b)"
    r"|;\s+(?=(?:please\s|pls\s)?(?:remind me|don't|do not|always|never|please|what|how)\b)|[,;]\s+(?:(?:and|so|but|und|y|et)\s+)*(?="
    r"(?:can|could|would|will) (?:you|u|we|i)\b|(?:how|why|where) (?:do|does|did|can|could|should|would|to|come|is|are)\b"
    r"|what(?:'s| is| are| would| should| do| does)\b|which (?:of|one|\w+ (?:is|are|should|would|do))\b|should (?:i|we)\b"
    r"|is (?:there|it|that|this)\b|are (?:there|they)\b|does (?:it|that|this|the)\b|do (?:you|i|we)\b|any idea|right\?)"
)
_ASIDE = re.compile(r"\(([^()]{10,300})\)")

_ASKS = re.compile(
    r"(?:(?:and|so|but|ok|okay|hm+|hey|hi|also|btw|now|or|then|quick question|question|y|et|und)[,:]?\s+)*¿?"
    r"(?:what|which|who|whose|why|how|where|wie|warum|wieso|welche[rs]?|was|wo|qué|cómo|cuál|dónde|pourquoi|comment|quel"
    r"|quelle|est-ce|when (?:do|does|did|is|are|would|should|can|will|to)|is|are|was|were|do (?:you|we|i|they|the|u)|does|did|should|shall|am i"
    r"|have (?:you|we|i)|has (?:it|the|anyone)|had|can|could|would|will|any idea|isn't|aren't|doesn't|didn't|don't (?:you|we))\b"
    r"(?!\s(?:i say is|i want|i know|you want)\b)"
)
_REQUESTS = re.compile(
    r"(?:(?:and|so|but|ok|okay|hey|hi|hello|also|btw|then|oh|please)[,:]?\s+)*"
    r"(?:can|could|would|will|kannst|könntest|puedes|podrías|peux-tu|pourrais-tu)\s?(?:you|u|du|tú|mind)?\b"
)
_TAG_QUESTION = re.compile(r"[,.;—–-]? (?:ok|okay|right|yes|alright|deal|got it|understood|agreed|please|sounds good|fine)\s*\?+$")
# "Improve this prompt: ..." shows a text in the same line.
_SHOWS_INLINE = re.compile(
    r"(?:(?:please|pls|can you|could you|now|and|ok|hey)[,:]? )*(?:translate|proof-?read|summari[sz]e|rephrase|reword|rewrite|improve|shorten|polish|explain|review|check|fix"
    r"|answer|comment on|what does|what do you think|is this|thoughts on|write|draft|generate|print|say|parse|format|classify|extract|tweet|reply|respond|convert)\b[^:]{0,80}:\s+\S"
)
_SUPPOSES = re.compile(
    r"(?:(?:so|and|but|ok|okay|hm+|well|now|hey|y|und|et|just)[,:]?\s+)*(?:"
    r"what if|suppos(?:e|ing)|imagine|assum(?:e|ing)\b|let's (?:say|pretend|assume|imagine|suppose)|lets (?:say|pretend|assume)"
    r"|say (?:we|i|you|that|my|our)\b|pretend|hypothetical|in theory|theoretically|for the sake of|as an? (?:thought )?(?:experiment|example)"
    r"|ideally|in (?:a perfect|an ideal) world|i wish\b|if only\b|had (?:we|i|you|it)\b|were (?:we|i|you|it)\b|for (?:example|instance)\b|e\.g\."
    r"|if (?:i|we|you|it|they|he|she|someone|somebody|one) (?:were|had|was|did|would|could|ever|\w+ed|said|told|went|chose|wrote)\b"
    r"|if (?:the|a|an|our|your|some|any) (?:user|client|customer|caller|person|bot|someone)\b|if (?:someone|somebody|users|one)\b"
    r"|angenommen|nehmen wir an|stell dir vor|wenn (?:ich|wir) .{1,40}(?:würde|hätte|wäre)"
    r"|supongamos|imagina|si (?:usara|tuvier|fuera|prefirier)|imaginons|supposons|admettons|si (?:on|j'|je|nous) \w+(?:ait|ions|ais)\b)"
)
# Somebody else's words without quotation marks.
_REPORTS = re.compile(
    r"(?<!\bi )(?<!\byou )(?<!\bjust )(?<!\bwe )(?<!\bhave )\b(?:says?|said|wrote|writes|claims?|claimed|recommends?|recommended|suggests?"
    r"|states|insists?|sagt|schreibt|dice|dit|reads)\b(?! (?:hi|hello|goodbye)\b)(?!:? (?:something|nothing|no\b))"
    r"|\baccording to\b|\b(?:told|tells|asked|warned) (?:me|us)\b|\bin the (?:voice|style) of\b|\bif (?:it|there|they|he|she|the \w+) (?:were|had|was)\b|\b(?:boss|manager|colleague|coworker|co-worker|client|customer|reviewer|teacher|professor|friend|team ?lead|cto|pm|wife|husband|brother|sister|dev|developer|guy|person|people|users|everyone|everybody|nobody|author|docs|readme|doc|guide|book|tutorial|article)s?\b[\w ]{0,20}\b(?:wants?|likes?|prefers?|insists?|thinks?|loves?|hates?|always|never|expects?|asked|believes?|demands?|recommends?)\b|\bif (?:i|we) (?:told|said|were|had)\b"
    r"|\b(?:can't|cannot|can not|couldn't|wouldn't) (?:really )?say\b|\bnot that i\b|\bi (?:was told|heard|read)\b|\bi've (?:heard|read)\b|\b(?:apparently|supposedly|allegedly)\b|\blaut\b|\bselon\b|\bsegún\b"
)
_SMALL = {ord(capital): capital.lower() for capital in map(chr, range(0x41, 0x250)) if len(capital.lower()) == 1}
_SMALL |= {ord("’"): "'", ord("\u00a0"): " "}


def _blacked_out(match: re.Match[str]) -> str:
    found = match[0]
    return (CODE if found[0] == "`" else QUOTE) * len(found)


def _split(paragraph: _Paragraph) -> Iterator[Sentence]:
    follows_quote = paragraph.follows_quote
    for text, is_listed in _joined(paragraph.lines):
        plain = _QUOTED.sub(_blacked_out, text).translate(_SMALL)
        for start, end in _spans(plain):
            for sentence in _sentence(text[start:end], plain[start:end], is_listed, follows_quote):
                leads = end < len(plain) and plain[end] in ",;" and _ASKS.match(plain[end:].lstrip(" ,;")) is not None
                yield replace(sentence, leads_to_question=True) if leads else sentence
                follows_quote = False


def _joined(lines: list[tuple[str, bool]]) -> Iterator[tuple[str, bool]]:
    """Lines that were only broken at the margin, put together again."""
    held, held_listed = "", False
    for text, is_listed in lines:
        if held and not is_listed and len(held) >= 50 and held[-1] not in ".!?:;…" and text[:1].islower():
            held = f"{held} {text}"
            continue
        if held:
            yield held, held_listed
        held, held_listed = text, is_listed
    if held:
        yield held, held_listed


def _spans(plain: str) -> Iterator[tuple[int, int]]:
    start = 0
    for stop in _STOP.finditer(plain):
        if stop[0] == "." and _ABBREVIATION.search(plain, max(start, stop.end() - 8), stop.end()):
            continue
        yield from _turns(plain, start, stop.end())
        start = stop.end()
    yield from _turns(plain, start, len(plain))


def _turns(plain: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    if end - start > _LONGEST_SENTENCE:
        return
    if not _ASKS.match(plain[start:end].lstrip()):
        for turn in _TURN.finditer(plain, start, end):
            if turn.start() > start:
                yield start, turn.start()
                start = turn.start()
    yield start, end


def _sentence(text: str, plain: str, is_listed: bool, follows_quote: bool) -> Iterator[Sentence]:
    asides = [aside for aside in _ASIDE.finditer(plain) if plain.count(" ", *aside.span()) > 1]
    for aside in asides:
        if len(aside[0]) < len(plain.strip()) - 2:
            plain = plain[: aside.start()] + " " * len(aside[0]) + plain[aside.end() :]
        else:
            asides = []
    cut = len(plain) - len(plain.lstrip(" ,;-–—(•"))
    text, plain = text[cut:].rstrip(), plain[cut:].rstrip()
    if not any(map(str.isalnum, plain)):
        return
    if tag := _TAG_QUESTION.search(plain):
        text, plain = text[: tag.start()], plain[: tag.start()]
    asks = plain.endswith("?") or _ASKS.match(plain) is not None
    requests = asks and _REQUESTS.match(plain) is not None
    yield Sentence(text, plain, asks and not requests, requests, is_listed, follows_quote)
    for aside in asides:
        yield from _sentence(text[aside.start(1) - cut : aside.end(1) - cut], aside[1], is_listed, False)
