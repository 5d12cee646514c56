"""A provider's prefix cache: bodies of the Messages API in, how much of each came from the cache out.

It works on what is really sent, block by block and by hash of everything before, by the provider's published rules, and
knows nothing of the ledger: so the two can be compared.
"""

import json
from collections.abc import Callable
from hashlib import sha256
from typing import Any

LOOK_BACK = 20
MOST_BREAKPOINTS = 4


def size_of(block: dict[str, Any]) -> int:
    """The bytes of what a block says, as the ledger counts them."""
    bare = {name: value for name, value in block.items() if name != "role"}
    if block.get("type") == "text":
        return len(block["text"].encode())
    if block.get("type") == "tool_result":
        failed = "failed: " if block.get("is_error") else ""
        return len(f"{block['tool_use_id']} {failed}{block.get('content', '')}".encode())
    return len(json.dumps(bare, ensure_ascii=False).encode())


class ProviderCache:
    """`measure` says how much a block is. A prefix under `minimum` is not kept, and none after `lifetime_ms`."""

    def __init__(
        self, measure: Callable[[dict[str, Any]], int] = size_of, minimum: int = 0, lifetime_ms: int | None = None
    ) -> None:
        self.read = self.billed = 0
        self._measure = measure
        self._minimum = minimum
        self._lifetime_ms = lifetime_ms
        self._kept: dict[str, int] = {}  # when it was used last

    def ask(self, body: dict[str, Any], now_ms: int = 0) -> int:
        """How much of the body's content is read from the cache; then it is cached at its breakpoints."""
        hashes, ends, marks = [], [], []
        running, total = sha256(), 0
        for place, block in enumerate(flattened(body)):
            plain = {name: value for name, value in block.items() if name != "cache_control"}
            if plain != block:
                marks.append(place)
            running.update(json.dumps(plain, sort_keys=True).encode() + b"\0")
            total += self._measure(plain)
            hashes.append(running.hexdigest())
            ends.append(total)
        assert len(marks) <= MOST_BREAKPOINTS
        read = 0
        for mark in marks:
            for place in range(mark, max(-1, mark - LOOK_BACK - 1), -1):
                if self._has(hashes[place], now_ms):
                    self._kept[hashes[place]] = now_ms
                    read = max(read, ends[place])
                    break
        self._kept |= {hashes[mark]: now_ms for mark in marks if ends[mark] >= self._minimum}
        self.read += read
        self.billed += total - read
        return read

    def _has(self, known: str, now_ms: int) -> bool:
        used = self._kept.get(known)
        return used is not None and (self._lifetime_ms is None or now_ms - used <= self._lifetime_ms)


def flattened(body: dict[str, Any]) -> list[dict[str, Any]]:
    """Every block in reading order; a block of a message knows its role."""
    blocks = [*body.get("tools", []), *body.get("system", [])]
    return blocks + [{**block, "role": it["role"]} for it in body["messages"] for block in it["content"]]


def prefix(body: dict[str, Any]) -> str:
    """What stands before the history, byte for byte: tools, and the cached part of the system prompt."""
    stable = [*body.get("tools", []), *body.get("system", [])]
    last = max((place for place, block in enumerate(stable) if "cache_control" in block), default=-1)
    return json.dumps(stable[: last + 1], ensure_ascii=False)
