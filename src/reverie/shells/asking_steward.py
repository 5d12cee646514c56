"""Questions of one-shot commands to the steward, which has the index and the vectors loaded."""

import json
import socket
from collections.abc import Mapping
from pathlib import Path
from typing import Any

# A first question waits until the steward has loaded its index: some seconds for 100,000 items.
_SECONDS = 30.0
_ANSWER_BYTES = 16_000_000


def ask_steward(address: Path | None, question: Mapping[str, object]) -> Any | None:
    """The steward's answer; None if none runs, or if it has none."""
    if address is None or not address.exists():
        return None
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
            connection.settimeout(_SECONDS)
            connection.connect(str(address))
            connection.sendall(json.dumps(question).encode())
            connection.shutdown(socket.SHUT_WR)
            answer = b""
            while len(answer) < _ANSWER_BYTES and (piece := connection.recv(65_536)):
                answer += piece
        return json.loads(answer) if answer else None
    except (OSError, ValueError):
        return None
