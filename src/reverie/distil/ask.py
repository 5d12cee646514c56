"""Ask a model about a turn: a `Turn` in, a `Prompt` out. Pure; nothing is sent from here.

The prompt is framed in XML and everything recorded is escaped, so that no text can close its element or forge another.
Each observation of the turn has a reference, its place in the turn (`o1`, `o2`, …), by which the reply names it. The
reference does not depend on what is shown, so a logged reply means the same whatever the settings are by then.
"""

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files

from reverie.foundation.text import clip, fair_shares, xml_attribute, xml_text
from reverie.ports import Prompt
from reverie.records import Kind, Observation, ToolUse, Turn, is_recall

_ELEMENTS = {
    Kind.USER_MESSAGE: "user",
    Kind.ASSISTANT_MESSAGE: "assistant",
    Kind.NOTE: "note",
    Kind.TOOL_CALL: "tool",
}

_NAME_CHARS = 80  # of a tool or a speaker

# What is left of a view at each level of simplification. The last is small enough that, with the default ceilings, the
# dearest listed model can be asked about the largest turn in plain English (tests/distil/test_cost.py).
_LEVELS = (1, 2, 4, 16)
_LEAST_CHARS = 150  # of one observation: a third of it, a tool's input, still has room for the mark of what is left out


@dataclass(frozen=True, slots=True)
class TurnView:
    """Limits, in characters, of how much of a turn a model is shown. The log keeps everything.

    The figures are for a session of 20 tool calls with results of 2 to 4 KB: at the prices of Claude Haiku 4.5 it costs
    less than a cent, whether it is one turn or four (tests/distil/test_cost.py prints it).
    """

    tool_chars: int = 2_000  # of one tool call
    tool_chars_on_average: int = 450  # over the tool calls of a turn: short ones leave room for long ones
    tool_chars_in_all: int = 30_000  # a turn of a thousand tool calls costs no more than one of sixty
    message_chars: int = 16_000  # of one message or note
    message_chars_in_all: int = 32_000
    before_chars: int = 160  # of each observation before the turn: enough to know what "it" is
    observations: int = 80  # more are left out of the middle
    # They carry nothing that is worth learning.
    skip_tools: tuple[str, ...] = ("TodoWrite", "TodoRead", "ToolSearch", "ListMcpResourcesTool")

    def part(self, divisor: int) -> "TurnView":
        """The same with so much less of everything, as long as what is left out can be marked."""

        def less(chars: int) -> int:
            return max(chars // divisor, min(chars, _LEAST_CHARS))

        return replace(
            self,
            tool_chars=less(self.tool_chars),
            tool_chars_in_all=less(self.tool_chars_in_all),
            message_chars=less(self.message_chars),
            message_chars_in_all=less(self.message_chars_in_all),
            before_chars=less(self.before_chars),
            observations=max(self.observations // divisor, 1),
        )


def affordable_prompt(
    turn: Turn, view: TurnView, max_output_tokens: int, fits: Callable[[Prompt], bool]
) -> Prompt | None:
    """The question about one turn, simplified in up to three levels until it `fits`; None if there is nothing to ask.

    If not even the last level fits, it comes all the same: who is asked refuses it, and says by which ceiling.
    """
    prompt = None
    for divisor in _LEVELS:
        prompt = extraction_prompt(turn, view.part(divisor), max_output_tokens)
        if prompt is None or fits(prompt):
            break
    return prompt


def extraction_prompt(turn: Turn, view: TurnView, max_output_tokens: int) -> Prompt | None:
    """The question about one turn; None if it has nothing that a model could learn from."""
    numbered = [(f"o{place}", item) for place, item in enumerate(turn.observations, 1) if _is_shown(item, view)]
    if not numbered:
        return None
    before = [item for item in turn.before if _is_shown(item, view)]
    lines = ["<turn>"]
    if before:
        lines += ["<before>", *(_element(_brief(item, view.before_chars)) for item in before), "</before>"]
    lines += ["<now>", *_now(numbered, view), "</now>", "</turn>"]
    return Prompt(_file("extract.xml"), "\n".join(lines), max_output_tokens)


def repair_prompt(asked: Prompt, bad_reply: str) -> Prompt:
    """The same question once more, after a reply that could not be read.

    The turn is shown again, because "NONE" must mean that there is nothing in the turn, not in the bad reply.
    """
    shown = xml_text(clip(bad_reply, 1_000))
    return replace(asked, user=f"{asked.user}\n<unreadable_answer>{shown}</unreadable_answer>\n{_file('repair.xml')}")


def _is_shown(observation: Observation, view: TurnView) -> bool:
    skipped = observation.tool is not None and observation.tool.name in view.skip_tools
    return observation.kind in _ELEMENTS and not skipped and not is_recall(observation.tool)


def _now(numbered: Sequence[tuple[str, Observation]], view: TurnView) -> Iterator[str]:
    """The elements of the turn itself; where there are too many, the first quarter and the last three."""
    head = tail = len(numbered)
    if len(numbered) > view.observations:
        head = view.observations // 4
        tail = view.observations - head
    first, middle, last = numbered[:head], numbered[head:-tail], numbered[max(head, len(numbered) - tail) :]
    limits = _limits([item for _, item in [*first, *last]], view)
    elements = [_element(_cut(item, limit), ref) for (ref, item), limit in zip([*first, *last], limits, strict=True)]
    yield from elements[: len(first)]
    if middle:
        yield f'<left_out observations="{len(middle)}"/>'
    yield from elements[len(first) :]


def _limits(items: Sequence[Observation], view: TurnView) -> list[int]:
    """Divide the characters among the observations."""
    limits = [0] * len(items)
    tools = [place for place, item in enumerate(items) if item.kind is Kind.TOOL_CALL]
    others = [place for place, item in enumerate(items) if item.kind is not Kind.TOOL_CALL]
    tools_in_all = min(view.tool_chars_in_all, max(view.tool_chars, view.tool_chars_on_average * len(tools)))
    for places, most, total in (
        (tools, view.tool_chars, tools_in_all),
        (others, view.message_chars, view.message_chars_in_all),
    ):
        lengths = [len(items[place].text) + len(_input_text(items[place].tool)) for place in places]
        for place, share in zip(places, fair_shares(lengths, most, total), strict=True):
            limits[place] = share
    return limits


@dataclass(frozen=True, slots=True)
class _Shown:
    """An observation, cut."""

    source: Observation
    input: str
    text: str


def _cut(observation: Observation, limit: int) -> _Shown:
    """Cut an observation to a limit. A tool's input gets at most a third: its answer is usually the news."""
    given = _input_text(observation.tool)
    given = clip(given, max(limit // 3, limit - len(observation.text)))
    return _Shown(observation, given, clip(observation.text, limit - len(given)))


def _brief(observation: Observation, limit: int) -> _Shown:
    """For context it is enough to know what was done, so of a tool call only the input."""
    given = _input_text(observation.tool)
    return _Shown(observation, "", clip(given or observation.text, limit))


def _input_text(tool: ToolUse | None) -> str:
    if tool is None or tool.input in (None, "", {}, []):
        return ""
    if isinstance(tool.input, str):
        return tool.input
    return json.dumps(tool.input, ensure_ascii=False, separators=(",", ":"))


def _element(shown: _Shown, ref: str = "") -> str:
    source = shown.source
    name = _ELEMENTS[source.kind]
    attributes = f' ref="{ref}"' if ref else ""
    if source.tool is not None:
        attributes += f' name="{xml_attribute(source.tool.name[:_NAME_CHARS])}"'
        attributes += ' failed="yes"' if source.tool.failed else ""
    elif source.speaker:
        attributes += f' speaker="{xml_attribute(source.speaker[:_NAME_CHARS])}"'
    given = f"<input>{xml_text(shown.input)}</input>" if shown.input else ""
    return f"<{name}{attributes}>{given}{xml_text(shown.text)}</{name}>"


@cache
def _file(name: str) -> str:
    return files("reverie.distil").joinpath("prompts", name).read_text(encoding="utf-8").strip()
