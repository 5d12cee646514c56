"""Builds turns for the tests of distil: from labelled examples, or from a few words."""

from collections.abc import Iterable, Mapping
from typing import Any

from reverie.records import Kind, Observation, ToolUse, Turn

_ROLES = {"user": Kind.USER_MESSAGE, "assistant": Kind.ASSISTANT_MESSAGE, "tool": Kind.TOOL_CALL, "note": Kind.NOTE}


def observation(kind: Kind, text: str, position: int = 1, tool: ToolUse | None = None) -> Observation:
    return Observation(
        kind=kind,
        text=text,
        tool=tool,
        id=f"o{position}",
        position=position,
        sequence_num=position,
        turn=1,
        session="s",
        occurred_ms=position,
        recorded_ms=position,
    )


def turn(*items: Observation, before: Iterable[Observation] = ()) -> Turn:
    earlier = tuple(before)
    tools = tuple(item for item in earlier if item.kind is Kind.TOOL_CALL)
    return Turn(session="s", number=1, observations=items, before=earlier[-10:], earlier_tools=tools)


def said(text: str) -> Turn:
    return turn(observation(Kind.USER_MESSAGE, text))


def labelled_turn(labelled: Mapping[str, Any]) -> Turn:
    """A turn from an example: what came before it, the user's message, the tool calls, the reply."""
    before = [_from_role(item, place) for place, item in enumerate(labelled["before"], 1)]
    first = len(before) + 1
    items = [{"role": "user", "text": labelled["user"]}]
    items += [{"role": "tool", **tool} for tool in labelled["tools"]]
    if labelled["assistant"]:
        items.append({"role": "assistant", "text": labelled["assistant"]})
    return turn(*(_from_role(item, place) for place, item in enumerate(items, first)), before=before)


def _from_role(item: Mapping[str, Any], position: int) -> Observation:
    if item["role"] == "tool":
        tool = ToolUse(item["name"], item["input"], item["failed"])
        return observation(Kind.TOOL_CALL, item["output"], position, tool)
    return observation(_ROLES[item["role"]], item["text"], position)
