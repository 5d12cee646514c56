"""Show a conversation in a terminal: replies as they come, then one quiet line about what they were made of."""

from collections.abc import Callable

from reverie.compose.composer import Composed
from reverie.continuum.orchestrator import TurnResult
from reverie.language.tokens import count_tokens
from reverie.shells.cli.show import plain


class ChatView:
    """`write` prints a text as it is; `dim` makes one quiet, where the terminal can."""

    def __init__(self, write: Callable[[str], None], dim: Callable[[str], str] = lambda text: text) -> None:
        self._write = write
        self._dim = dim
        self._is_open = False  # a line of the reply is begun

    def words(self, text: str) -> None:
        """A piece of the reply."""
        self._write(plain(text))
        self._is_open = not text.endswith("\n")

    def line(self, text: str = "") -> None:
        self._close()
        self._write(plain(text) + "\n")

    def note(self, text: str) -> None:
        self._close()
        for line in text.splitlines():
            self._write(self._dim(plain(line)) + "\n")

    def problem(self, text: str) -> None:
        self.note(f"! {text}")

    def end_of_reply(self, result: TurnResult) -> None:
        """Show what the reply was made of, and what went wrong."""
        self._close()
        if result.problem:
            self.problem(f"the model did not answer: {result.problem}")
            again = "asking again may help" if result.may_retry else "fix that, then ask again"
            self.problem(f"what you said is kept; {again}")
        elif result.end == "cancelled":
            self.note("(interrupted; what arrived so far is kept)")
        elif result.end == "stopped":
            self.problem("stopped: the model kept calling tools; continuum.tool_rounds limits how often it may")
        elif result.end == "done" and not result.text.strip():
            self.note("(an empty reply)")
        elif result.end == "limit":
            self.note("(the reply reached continuum.max_output_tokens)")
        for one in dict.fromkeys(result.composed.missing):
            self.problem(f"{one.section} is missing from the prompt ({one.kind}): {one.why}")
        self.note(summary(result))

    def _close(self) -> None:
        if self._is_open:
            self._write("\n")
            self._is_open = False


def summary(result: TurnResult) -> str:
    """One line: the turn, its prompt, what surfaced, and what broke the cache."""
    prompt = sizes(result.composed)
    parts = [f"turn {result.turn_number}", f"prompt {prompt}"]
    if result.surfaced:
        count = len(result.surfaced)
        parts.append(f"{count} {'memory' if count == 1 else 'memories'}, {len(result.mentioned)} mentioned")
    if result.tools_used:
        parts.append(f"tools: {', '.join(dict.fromkeys(result.tools_used))}")
    broken = [entry.cause for entry in result.ledger if entry.broken_by]
    if broken:
        parts.append(f"cache: {broken[0]}")
    return " · ".join(parts)


def sizes(composed: Composed) -> str:
    """Say how large a prompt is."""
    cached, rest = count_tokens(composed.cached_content), count_tokens(composed.non_cached_content)
    return f"{cached + rest:,} tokens ({cached:,} cached, {rest:,} now)"
