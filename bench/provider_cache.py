"""What a provider's prefix cache would bill for the bodies of requests, by its published rules, from the bytes alone.

It knows nothing of our ledger: blocks are read in the order tools, system, messages; a prefix is kept at each
`cache_control`, for five minutes since it was last read, and found again at most 20 blocks before a breakpoint.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any

from reverie.language.tokens import count_tokens

LIFETIME_MS, LOOK_BACK, MINIMUM_TOKENS = 300_000, 20, 1024


@dataclass
class ProviderCache:
    read_tokens: int = 0
    billed_tokens: int = 0
    _kept: dict[bytes, int] = field(default_factory=dict)  # until when

    def ask(self, body: dict[str, Any], now_ms: int) -> int:
        """Bill one request; says how many of its tokens came from the cache."""
        prefixes: list[tuple[bytes, int, bool]] = []
        digest, tokens = b"", 0
        for block in blocks(body):
            marked = "cache_control" in block
            plain = json.dumps({key: value for key, value in block.items() if key != "cache_control"}, sort_keys=True)
            digest = blake2b(digest + plain.encode(), digest_size=16).digest()
            tokens += count_tokens(block.get("text") or plain)
            prefixes.append((digest, tokens, marked))
        read = 0
        for place, (_, _, marked) in enumerate(prefixes):
            for known, so_far, _ in prefixes[max(0, place - LOOK_BACK) : place + 1] if marked else ():
                if self._kept.get(known, -1) >= now_ms:
                    read = max(read, so_far)
                    self._kept[known] = now_ms + LIFETIME_MS
        for known, so_far, marked in prefixes:
            if marked and so_far >= MINIMUM_TOKENS:
                self._kept[known] = now_ms + LIFETIME_MS
        self.read_tokens += read
        self.billed_tokens += tokens - read
        return read


def blocks(body: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The content blocks in the order in which they are read, each with whose they are."""
    for tool in body.get("tools", ()):
        yield {"part": "tool", **tool}
    for block in body.get("system", ()):
        yield {"part": "system", **block}
    for message in body["messages"]:
        content = message["content"]
        for block in [{"type": "text", "text": content}] if isinstance(content, str) else content:
            yield {"part": message["role"], **block}


def prefix(body: dict[str, Any]) -> str:
    """What stands before the history, byte for byte: tools, and the cached part of the system prompt."""
    cached = [block for block in blocks(body) if block["part"] in ("tool", "system")]
    last = max((place for place, block in enumerate(cached) if "cache_control" in block), default=-1)
    return json.dumps(cached[: last + 1], ensure_ascii=False)
