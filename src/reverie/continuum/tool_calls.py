"""One tool call -> its result, whatever happens: a failure is a result too, and the model is told."""

import json
from collections.abc import Callable
from typing import TYPE_CHECKING

from reverie.continuum.background_threads import Abandoned, within
from reverie.errors import ReverieError
from reverie.records import JSON
from reverie.records.conversation_values import Moment, ToolCall
from reverie.tools.operations import OperationTool

if TYPE_CHECKING:
    from reverie.tools.toolbox import ToolBox


def answer_of(
    tools: "ToolBox", call: ToolCall, moment: Moment, seconds: float, is_cancelled: Callable[[], bool]
) -> tuple[str, bool]:
    """Run the tool; return its answer as text, and whether it failed. A tool that hangs is abandoned."""
    try:
        answer = _run(tools, call, moment, seconds, is_cancelled)
    except (Abandoned, ReverieError) as error:
        return str(error), True
    except Exception as error:  # a tool may be a stranger's code
        return f"{type(error).__name__}: {error}", True
    text = answer if isinstance(answer, str) else json.dumps(answer, ensure_ascii=False, default=str)
    return text or "(nothing)", False


def _run(tools: "ToolBox", call: ToolCall, moment: Moment, seconds: float, is_cancelled: Callable[[], bool]) -> JSON:
    """Our own tools work on the record, which belongs to this thread, and do not hang; others may."""
    arguments = call.input if isinstance(call.input, dict) else {}
    tool = tools.called(moment.continuum_id, call.name, moment)
    if isinstance(tool, OperationTool):
        return tool.run(arguments, moment)
    return within(seconds, lambda: tool.run(arguments, moment), is_cancelled)
