"""The log -> memory items once more: everything that was derived is thrown away and made again, in the same order.

Ticks and acts say in which order the gate saw what, and by which policy; here they have their effects again, and
nothing is written to the log.
"""

from collections.abc import Callable
from dataclasses import replace

from reverie.foundation.as_json import item_from_json, listed
from reverie.gate.decide import Policy
from reverie.maintenance import consolidation
from reverie.pipeline.item_writer import ItemWriter
from reverie.pipeline.policy_record import policy_from_json
from reverie.records import Event, WriteEvent

_REPLAYED = (
    "policy",
    "gate",
    "memorize",
    "track",
    "hide",
    "unhide",
    "approve",
    "edit",
    "mark",
    "used",
    *consolidation.REPLAYED,
)


def derive_again(writer: ItemWriter, *, captured: bool, progress: Callable[[int], None] = lambda _: None) -> int:
    """Throw items away and make them again from the log; with `captured`, those of observations too.

    What had not become an item yet does not become one now: a rebuild changes nothing.
    """
    if captured:
        return _derive_again(writer, captured, progress)
    with writer.consolidation.knowing_summaries():
        return _derive_again(writer, captured, progress)


def _derive_again(writer: ItemWriter, captured: bool, progress: Callable[[int], None]) -> int:
    count = 0
    with writer.engine.write():
        admitted = writer.engine.items.admitted()
        noted = [event.data for event in writer.engine.history.events(["home"])]
        writer.homes = {str(home["id"]): str(home["store"]) for home in noted}
        writer.adopt(writer.homes.values())
        writer.engine.items.clear(captured=captured)
        _unmark(writer)
        writer.engine.learnings.clear_verdicts()
        writer.admit(progress, up_to=admitted)
        writer.engine.items.set_admitted(admitted)
        policy = writer.policy()
        for event in writer.engine.history.events(_REPLAYED):
            policy = _replay(writer, event, policy)
            count += 1
            progress(count)
    return count


def _unmark(writer: ItemWriter) -> None:
    """Make captured items that were marked for a goal what they were before: a mark may be later than a summary."""
    marked = {str(one) for event in writer.engine.history.events(["mark"]) for one in listed(event.data.get("ids"))}
    left = [item.parent_id or item.id for item in writer.engine.items.get(sorted(marked))]
    found = [one for item in dict.fromkeys(left) if (one := writer.engine.log.get(item))]
    writer.engine.items.put(*writer.items_and_spans(found))


def _replay(writer: ItemWriter, event: Event, policy: Policy) -> Policy:
    data = event.data
    ids = [str(one) for one in listed(data.get("ids"))]
    match event.kind:
        case "policy":
            return replace(policy_from_json(data, tuple(writer.registry.names)), foreign_types=writer.foreign_types)
        case "gate":
            for learned in writer.engine.learnings.get(ids):
                writer.judge_learned(learned, policy)
        case "memorize":
            item = replace(item_from_json(data["item"]), position=event.position)
            writer.judge(WriteEvent(item=item, store=writer.homes.get(item.id, str(data["store"]))), policy)
        case "track":
            if observation := writer.engine.log.get(str(data["id"])):
                writer.apply_track(observation)
        case "hide":
            writer.apply_hide(ids, event.at_ms)
        case "unhide":
            writer.apply_unhide(ids)
        case "approve":
            if writer.engine.items.get([event.target]):
                writer.apply_approval(event.target)
        case "edit":
            if writer.engine.items.get([event.target]):
                writer.apply_edit(event.target, data, event.at_ms)
        case "mark":
            writer.apply_mark(ids, event.target)
        case "used":
            writer.engine.items.touch(ids, event.at_ms)
        case _:
            writer.consolidation.replay(event)
    return policy
