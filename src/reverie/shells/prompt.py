"""A composed prompt as a person looks at it: its sections with their tokens, its lines with their numbers, why a line
is there, what changed since the last turn, and what the requests did to the provider's cache.

Values in, lines out; `style` colours them where there is a terminal. Stored text never controls it: a style takes out
what could, and so does `unstyled`.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from difflib import unified_diff
from typing import TYPE_CHECKING

from reverie.compose.composer import Composed, Section
from reverie.compose.markup import Origin
from reverie.continuum.model import rates_of
from reverie.errors import BadInput
from reverie.language.tokens import count_tokens
from reverie.ports import Engine
from reverie.records.conversation_values import Block, LedgerEntry, Message, Request, Role
from reverie.shells.cli.show import dollars, plain, when
from reverie.window.blocks import blocks_with_text, group_of, section_of
from reverie.window.ledger import TokenRates, totals

if TYPE_CHECKING:
    from reverie.continuum.orchestrator import ContinuumOrchestrator

Style = Callable[[str, str], str]  # a text and what it is: cached, system, tail, added, removed, quiet


def unstyled(text: str, _kind: str) -> str:
    return plain(text)


# ---- the prompt


@dataclass(frozen=True, slots=True)
class PromptLine:
    """A line of a prompt: its number from 1, its section (None between two), and which line of that it is, from 0."""

    number: int
    text: str
    placement: str
    section: Section | None
    within: int


def lines_of(composed: Composed) -> list[PromptLine]:
    """Every line as it is sent: the cached part, what is volatile in the system prompt, the tail."""
    lines: list[PromptLine] = []
    parts = ("cached", composed.cached_content), ("system", composed.system_content), ("tail", composed.tail)
    for placement, text in parts:
        spans = list(_spans(text, [one for one in composed.sections if one.placement == placement]))
        start = 0
        for line in text.split("\n") if text else []:
            section, begin = next(((one, first) for one, first, end in spans if first <= start < end), (None, 0))
            within = text.count("\n", begin, start) if section else 0
            lines.append(PromptLine(len(lines) + 1, line, placement, section, within))
            start += len(line) + 1
    return lines


def _spans(text: str, sections: Sequence[Section]) -> Iterator[tuple[Section, int, int]]:
    """Yield the start and end of each section in the text: they stand there in their order."""
    end = 0
    for section in sections:
        begin = text.find(section.content, end)
        if section.content and begin >= 0:
            end = begin + len(section.content)
            yield section, begin, end


def composed_lines(composed: Composed, style: Style = unstyled) -> list[str]:
    """A table of the sections, then the prompt with its lines numbered and marked: c cached, s system, t tail."""
    lines = lines_of(composed)
    width = max([7, *(len(section.name) for section in composed.sections)])
    told = [f"{'section':<{width}}  {'where':<6}  {'tokens':>7}  lines"]
    for section in composed.sections:
        own = [line.number for line in lines if line.section is section]
        shown = "-".join(str(number) for number in dict.fromkeys((*own[:1], *own[-1:])))
        row = f"{section.name:<{width}}  {section.placement:<6}  {section.tokens:>7,}  {shown}"
        told.append(style(row.rstrip(), section.placement))
    told.append(_sizes(composed))
    told += [style(f"! {one.section} is missing ({one.kind}): {one.why}", "removed") for one in composed.missing]
    told += [style(f"! {warning}", "removed") for warning in composed.warnings]
    told.append("")
    digits = len(str(len(lines)))
    for line in lines:
        gutter = style(f"{line.number:>{digits}} {line.placement[0]}", "quiet")
        told.append(f"{gutter} {style(line.text, line.placement)}".rstrip())
    return told


def _sizes(composed: Composed) -> str:
    texts = {"cached": composed.cached_content, "system": composed.system_content, "tail": composed.tail}
    tokens = {name: count_tokens(text) for name, text in texts.items() if text}
    parts = ", ".join(f"{name} {count:,}" for name, count in tokens.items())
    return f"{sum(tokens.values()):,} tokens: {parts}" if tokens else "the prompt is empty"


# ---- why a line is there


@dataclass(frozen=True, slots=True)
class LineOrigin:
    """The source of a line."""

    kind: str
    id: str
    why: str
    trust: str = ""
    sources: tuple[str, ...] = ()
    when_ms: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Explained:
    """One line of a prompt, explained."""

    line: int
    lines_in_all: int
    text: str
    placement: str
    section: str
    trinket: str
    records: tuple[LineOrigin, ...]
    tokens: int
    nanodollars: int | None  # each time it is sent; None where no price is known

    def lines(self) -> list[str]:
        return [plain(line) for line in self._lines()]

    def _lines(self) -> list[str]:
        told = [f"line {self.line} of {self.lines_in_all}: {self.text.strip() or '(an empty line)'}"]
        if not self.section:
            return [*told, "  is between two sections"]
        told.append(f"  section {self.section}, {_PLACES[self.placement]}")
        told.append(f"  from {self.trinket}" if self.trinket else "  from the base prompt")
        for record in self.records:
            told.append(f"  {record.kind} {record.id}" + (f": {record.why}" if record.why else ""))
            if record.trust:
                told.append(f"    trust {record.trust}, {when(record.when_ms)}")
            if record.sources and record.sources != (record.id,):
                told.append(f"    from {', '.join(record.sources)}")
        if not self.records:
            told.append("  no record: the frame of the section")
        # A line costs too little to be shown in dollars.
        price = "" if self.nanodollars is None else f", {dollars(1000 * self.nanodollars)} for every thousand requests"
        return [*told, f"  {self.tokens} tokens{price}"]


_PLACES = {
    "cached": "cached: it is in the prefix that the provider keeps",
    "system": "in the system prompt: it is volatile, and what follows is billed again when it changes",
    "tail": "in the tail: it is true only now, and is sent after the history",
}


def explain_line(conversation: "ContinuumOrchestrator", composed: Composed, number: int) -> Explained:
    """Explain a line: its section, the record it shows, where that came from, and what it costs."""
    lines = lines_of(composed)
    if not lines:
        raise BadInput("the prompt is empty, so there is no line to explain")
    if not 1 <= number <= len(lines):
        raise BadInput(
            f"there is no line {number}; the prompt has {len(lines)}, and `reverie admin prompt` numbers them"
        )
    line, store = lines[number - 1], conversation.store
    tokens = count_tokens(line.text)
    rates = rates_of(store.settings.model)
    section = line.section
    return Explained(
        line=number,
        lines_in_all=len(lines),
        text=line.text,
        placement=line.placement,
        section=section.name if section else "",
        trinket=section.trinket if section else "",
        records=tuple(_record(store.engine, origin) for origin in dict.fromkeys(_origins(section, line.within)))
        if section
        else (),
        tokens=tokens,
        nanodollars=tokens * _rate(rates, line.placement) if rates else None,
    )


def explained(conversation: "ContinuumOrchestrator", composed: Composed, number: int) -> list[str]:
    """Why a line of the prompt is there, in words."""
    return explain_line(conversation, composed, number).lines()


def _origins(section: Section, within: int) -> list[Origin]:
    """The origins of a line: its own, else those of the nearest line above it, whose text it goes on with.

    The first and the last line of a section are its frame, which belongs to no record unless it says so.
    """
    exact = [origin for origin in section.origins if origin.line == within]
    if exact or within in (0, section.content.count("\n")):
        return exact
    above = max((origin.line for origin in section.origins if origin.line < within), default=-1)
    return [origin for origin in section.origins if origin.line == above]


def _record(engine: Engine, origin: Origin) -> LineOrigin:
    found = LineOrigin(origin.kind, origin.id, origin.why)
    match origin.kind:
        case "memory":
            for item in engine.items.get([origin.id]):
                found = LineOrigin(*_named(origin), item.trust.value, item.sources, item.created_ms)
        case "learning":
            for learned in engine.learnings.get([origin.id]):
                found = LineOrigin(*_named(origin), learned.trust.value, (learned.observation_id,), learned.learned_ms)
        case "action":
            for action in (one for one in engine.actions.all() if one.id == origin.id):
                found = LineOrigin(*_named(origin), action.trust.value, (), action.created_ms)
    return found


def _named(origin: Origin) -> tuple[str, str, str]:
    return origin.kind, origin.id, origin.why


def _rate(rates: TokenRates, placement: str) -> int:
    return rates.cache_read if placement == "cached" else rates.input


# ---- what changed since the last turn


@dataclass(frozen=True, slots=True)
class Change:
    """A tool or a section that is not what it was. `diff` is empty where the old text is no longer known."""

    name: str
    group: str  # tools, cached, system, tail
    what: str  # appeared, is gone, changed
    tokens: int
    diff: tuple[str, ...] = ()


def changes(conversation: "ContinuumOrchestrator", composed: Composed | None = None) -> list[Change]:
    """List what the next prompt would have changed since the last request; BadInput if there was none."""
    ledger = conversation.store.engine.ledger
    last = ledger.last(conversation.continuum_id)
    if last is None:
        raise BadInput("there is no request to compare with: none was sent to a model in this conversation yet")
    fresh = {_place(block): (block, text) for block, text in _blocks(conversation, composed or conversation.preview())}
    before = {_place(block): block for block in last.blocks if group_of(block) != "history"}
    found = []
    for place, (block, text) in fresh.items():
        old = before.get(place)
        if old is None:
            found.append(Change(section_of(block), group_of(block), "appeared", block.tokens, _added(text)))
        elif old.address != block.address:
            was = ledger.text(old.address)
            diff = () if was is None else _difference(was, text)
            found.append(Change(section_of(block), group_of(block), "changed", block.tokens, diff))
    gone = [block for place, block in before.items() if place not in fresh]
    return found + [Change(section_of(block), group_of(block), "is gone", 0) for block in gone]


def diff_lines(conversation: "ContinuumOrchestrator", style: Style = unstyled) -> list[str]:
    """The same in words, and what it means for the cache."""
    found = changes(conversation)
    told = []
    for change in found:
        told.append(style(f"{change.name} ({change.group}) {change.what}, {change.tokens:,} tokens", change.group))
        for line in change.diff:
            kind = {"+": "added", "-": "removed"}.get(line[:1], "quiet")
            told.append("  " + style(line, kind))
    before = [change.name for change in found if change.group != "tail"]
    if before:
        return [*told, f"the cached prefix breaks at {plain(before[0])}: what follows it is billed again, once"]
    return [*told, "the cached prefix is the same, byte for byte"]


def _blocks(conversation: "ContinuumOrchestrator", composed: Composed) -> list[tuple[Block, str]]:
    request = Request(
        cached=composed.cached_content,
        system=composed.system_content,
        tail=composed.tail,
        tools=conversation.tools.definitions(conversation.continuum_id),
        messages=(Message(role=Role.USER, text="?"),),
    )
    told = blocks_with_text(request, [(one.name, one.content) for one in composed.sections])
    return [(block, text) for block, text in told if group_of(block) != "history"]


def _place(block: Block) -> tuple[str, str]:
    return group_of(block), section_of(block)


def _added(text: str) -> tuple[str, ...]:
    return tuple(f"+{line}" for line in text.strip("\n").split("\n"))


def _difference(old: str, new: str) -> tuple[str, ...]:
    lines = unified_diff(old.strip("\n").split("\n"), new.strip("\n").split("\n"), n=1, lineterm="")
    return tuple(line for line in lines if not line.startswith(("---", "+++", "@@")))


# ---- the cache ledger


def ledger_lines(conversation: "ContinuumOrchestrator", limit: int = 20, style: Style = unstyled) -> list[str]:
    """The last requests: what the cache kept, what was billed, and why."""
    entries = conversation.store.engine.ledger.entries(conversation.continuum_id, limit)
    if not entries:
        return ["no request was made in this conversation"]
    told = [f"{'turn':>7}  {'when':<16}  {'kept':>8}  {'new':>7}  {'tail':>7}  {'again':>7}  {'price':>8}  cause"]
    told += [style(_entry(entry), "removed" if entry.broken_by else "cached") for entry in entries]
    total = totals(entries)
    told.append(
        f"{total.requests} requests: {total.kept:,} tokens kept, {total.billed:,} billed, {total.rebilled:,} of them "
        f"again; {total.ratio:.2f} times what was necessary"
    )
    told.append(
        f"the prefix broke {sum(total.breaks.values())} times; billed again {dollars(total.rebilled_nanodollars)}, "
        f"saved {dollars(total.saved_nanodollars)}"
    )
    return told


def _entry(entry: LedgerEntry) -> str:
    row = (
        f"{f'{entry.turn}.{entry.request}':>7}  {when(entry.at_ms):<16}  {entry.kept_tokens:>8,}  "
        f"{entry.new_tokens:>7,}  {entry.tail_tokens:>7,}  {entry.rebilled_tokens:>7,}  "
        f"{dollars(entry.rebilled_nanodollars):>8}  {entry.cause}"
    )
    return row.rstrip()
