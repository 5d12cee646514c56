"""Distil with a model: a `Turn` and a way to ask in, learnings and the logged replies out; or from the log, no asking.

One question per turn, and one more if the reply cannot be read. The learnings depend on nothing but the turn and the
replies, so a rebuild gets the same ones from the log. Each reply is handed out to be logged as soon as it has come,
readable or not: it was paid for. Asking, money and storing are left to whoever calls.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from hashlib import sha256

from reverie.distil.ask import TurnView, affordable_prompt, repair_prompt
from reverie.distil.reply import ReadReply, ReplyLine, read_reply
from reverie.distil.rules.scopes import scope_of
from reverie.distil.source_trust import as_said_by, least_trusted, trust_of_claim
from reverie.errors import ModelRefused, UnreadableReply
from reverie.ports import Ask, Prompt, Reply
from reverie.records import Kind, Learning, LoggedReply, Observation, Turn


@dataclass(frozen=True, slots=True)
class Extraction:
    """The learnings of one turn, the replies that they come from, and the lines in them that were not used."""

    learnings: tuple[Learning, ...] = ()
    replies: tuple[LoggedReply, ...] = ()
    rejected: tuple[str, ...] = ()


def extract_with_model(
    turn: Turn,
    ask: Ask,
    cost: Callable[[Reply], int],
    view: TurnView,
    max_output_tokens: int,
    *,
    fits: Callable[[Prompt, int], bool] = lambda _prompt, _spent: True,
    log: Callable[[LoggedReply], None] = lambda _: None,
    logged: Sequence[LoggedReply] = (),
) -> Extraction:
    """Ask a model what a turn taught. No learnings means that it said so; everything else is a ModelError.

    `cost` says what a reply cost in nanodollars. A turn with nothing to show is not asked about. If the last of the
    replies that were `logged` before still waits for its repair, that is asked for, and the question not paid again.
    `fits` says whether a question could be paid for at all, after so many nanodollars; if not, less is shown.
    """
    prompt = affordable_prompt(turn, view, max_output_tokens, lambda question: fits(question, 0))
    if prompt is None:
        return Extraction()

    def asked(purpose: str, question: Prompt) -> LoggedReply:
        reply = _logged(purpose, question, ask(question), cost)
        log(reply)
        return reply

    first = _to_be_repaired(turn, logged) or asked("extract", prompt)
    if (read := _read(turn, first)).is_readable:
        return Extraction(_learnings(turn, read, first.model), (first,), read.rejected)
    spent, bad = first.nanodollars, first.text
    shown = affordable_prompt(turn, view, max_output_tokens, lambda question: fits(repair_prompt(question, bad), spent))
    second = asked("repair", repair_prompt(shown or prompt, bad))
    if (read := _read(turn, second)).is_readable:
        return Extraction(_learnings(turn, read, second.model), (first, second), read.rejected)
    raise UnreadableReply(f"asked twice for learnings, got: {second.text[:200]!r}")


def is_answered(turn: Turn, replies: Sequence[LoggedReply]) -> bool:
    """Whether one of the replies can be read."""
    return any(read_reply(reply.text, len(turn.observations)).is_readable for reply in replies)


def replay(turn: Turn, replies: Sequence[LoggedReply]) -> tuple[Learning, ...]:
    """The same learnings from the logged replies, without asking anyone."""
    for reply in replies:
        if (read := read_reply(reply.text, len(turn.observations))).is_readable:
            return _learnings(turn, read, reply.model)
    raise UnreadableReply(f"none of the {len(replies)} logged replies about turn {turn.number} can be read")


def _to_be_repaired(turn: Turn, logged: Sequence[LoggedReply]) -> LoggedReply | None:
    if not logged or logged[-1].purpose != "extract":
        return None
    read = read_reply(logged[-1].text, len(turn.observations))
    return None if read.is_refusal else logged[-1]


def _logged(purpose: str, prompt: Prompt, reply: Reply, cost: Callable[[Reply], int]) -> LoggedReply:
    """The reply as it is kept. One that was cut at the limit is kept up to its last whole line.

    Half a sentence may mean the opposite of the whole one, and the log has to give the same learnings for ever.
    """
    text = reply.text if reply.end == "done" else reply.text[: reply.text.rfind("\n") + 1]
    return LoggedReply(
        purpose=purpose,
        prompt_hash=sha256(f"{prompt.system}\0{prompt.user}".encode("utf-8", "replace")).hexdigest(),
        text=text,
        model=reply.model,
        input_tokens=reply.input_tokens + reply.cache_read_tokens + reply.cache_write_tokens,
        output_tokens=reply.output_tokens,
        nanodollars=cost(reply),
    )


def _read(turn: Turn, logged: LoggedReply) -> ReadReply:
    read = read_reply(logged.text, len(turn.observations))
    if read.is_refusal:  # asking again would cost the same and bring the same
        raise ModelRefused(f"the model refused in words: {logged.text[:200]!r}")
    return read


def _learnings(turn: Turn, read: ReadReply, model: str) -> tuple[Learning, ...]:
    return tuple(_learning(turn, line, model) for line in read.lines)


def _learning(turn: Turn, line: ReplyLine, model: str) -> Learning:
    named = [turn.observations[ref - 1] for ref in line.refs] or [_usual_source(turn)]
    source = least_trusted(named)
    learning = Learning(
        type=line.type,
        text=line.text,
        confidence=line.confidence,
        observation_id=source.id,
        subject=line.subject,
        trust=trust_of_claim(line.text, source, [*turn.before, *turn.observations]),
        priority=line.priority,
        owner=line.owner,
        origin=model,
        scope=scope_of(line.type, line.text),
    )
    return as_said_by(source, learning)


def _usual_source(turn: Turn) -> Observation:
    """Return the source of a line that names none: the person's message, else the last observation."""
    messages = [item for item in turn.observations if item.kind is Kind.USER_MESSAGE]
    return messages[0] if messages else turn.observations[-1]
