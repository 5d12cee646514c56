"""Export: the record as (table, value) pairs, for a file that another program can read."""

from collections.abc import Iterator

from reverie.foundation.bulk import BULK
from reverie.ports import Engine


def export(engine: Engine) -> Iterator[tuple[str, object]]:
    """Yield what came in, what was asked for and answered, learned and kept, each table in order.

    What is derived from that is left out: items, their index and summaries. So is what only tells of the past: traces,
    spending and earlier versions of documents.
    """
    after = 0
    while chunk := engine.log.read(after=after, limit=BULK):
        yield from (("observations", observation) for observation in chunk)
        after = chunk[-1].position
    for position, kind, target, data in engine.log.acts():
        yield "acts", {"position": position, "kind": kind, "target": target, "data": data}
    yield from (("replies", reply) for reply in engine.replies.all())
    yield from (("ticks", tick) for tick in engine.history.ticks())
    yield from (("learnings", learned) for learned in engine.learnings.all())
    yield from (("pending_actions", action) for action in engine.actions.all())
    yield from (("sessions", session) for session in engine.log.sessions(limit=1_000_000))
    yield from (("goals", goal) for goal in engine.goals.goals(everything=True))
    yield from (("questions", question) for question in engine.goals.questions(everything=True))
    yield from (("reminders", reminder) for reminder in engine.reminders.all(None))
    yield from (("punchclock", punch) for punch in engine.punches.all())
    yield from (("domaindocs", document) for document in engine.documents.all())
    yield from (("segments", segment) for segment in engine.conversations.all_segments())
    yield from (("set_aside", row) for row in engine.set_aside())
