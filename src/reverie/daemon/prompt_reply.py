"""Replies to hooks that ask about a prompt: what a hook could not wait for is told with its session's next prompt."""

import socket
from collections.abc import Mapping
from typing import Any

from reverie.memory import Memory
from reverie.pipeline.prompt_context import PromptContext

_SEND_SECONDS = 1.0  # a hook that does not read keeps the next one waiting no longer


class PromptReplies:
    """Used by the thread that has the index, and by the thread that answers hooks while that one is busy."""

    def __init__(self) -> None:
        self._untold: dict[tuple[str, str], str] = {}  # by user and session: the prompt that was answered too late

    def reply(
        self, memory: Memory, context: PromptContext, connection: socket.socket, asked: Mapping[str, Any], news: str
    ) -> None:
        """Tell a hook the news and what is known about its prompt. It is noted as told when the hook has got it."""
        prompt, project, session = str(asked["prompt"]), str(asked["project"]), str(asked["session"])
        before = self._untold.pop((memory.engine.user, session), "")
        known = [context.for_prompt(one, project, session) for one in dict.fromkeys((before, prompt)) if one]
        texts = dict.fromkeys(filter(None, (news, *(one.text for one in known))))
        try:
            connection.settimeout(_SEND_SECONDS)
            connection.sendall("\n".join(texts).encode("utf-8", "replace"))
        except OSError:  # the hook did not wait
            if any(one.text for one in known):
                self._untold[memory.engine.user, session] = prompt if known[-1].text else before
                memory.parts.traces.late(session)
            return
        for one in known:
            one.confirm()
