"""A provider's prefix cache, for tests: bodies of the Messages API in, how much of each came from the cache out.

It works on what is really sent, block by block and by hash of everything before, and knows nothing of the ledger: so the
two can be compared.
"""

import json
from hashlib import sha256
from typing import Any

LOOK_BACK = 20
MOST_BREAKPOINTS = 4


class ProviderCache:
    def __init__(self) -> None:
        self._kept: set[str] = set()

    def ask(self, body: dict[str, Any]) -> int:
        """How many bytes of the body's content are read from the cache; then it is cached at its breakpoints."""
        blocks = flattened(body)
        hashes, sizes, marks = [], [], []
        running = sha256()
        for place, block in enumerate(blocks):
            marked = dict(block)
            if marked.pop("cache_control", None):
                marks.append(place)
            running.update(json.dumps(marked, sort_keys=True).encode() + b"\0")
            hashes.append(running.hexdigest())
            sizes.append(size_of(marked))
        assert len(marks) <= MOST_BREAKPOINTS
        read = 0
        for mark in marks:
            for place in range(mark, max(-1, mark - LOOK_BACK - 1), -1):
                if hashes[place] in self._kept:
                    read = max(read, sum(sizes[: place + 1]))
                    break
        self._kept |= {hashes[mark] for mark in marks}
        return read


def flattened(body: dict[str, Any]) -> list[dict[str, Any]]:
    """Every block in reading order; a block of a message knows its role."""
    blocks = [*body.get("tools", []), *body.get("system", [])]
    return blocks + [{**block, "role": it["role"]} for it in body["messages"] for block in it["content"]]


def size_of(block: dict[str, Any]) -> int:
    """The bytes of what a block says, as the ledger counts them."""
    bare = {name: value for name, value in block.items() if name != "role"}
    if block.get("type") == "text":
        return len(block["text"].encode())
    if block.get("type") == "tool_result":
        failed = "failed: " if block.get("is_error") else ""
        return len(f"{block['tool_use_id']} {failed}{block.get('content', '')}".encode())
    return len(json.dumps(bare, ensure_ascii=False).encode())
