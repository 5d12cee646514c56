"""Items and vectors for tests of the index."""

from typing import Any

import numpy as np

from reverie.records import EPISODIC, ItemType, MemoryItem

DAY_MS = 86_400_000
AT = 1_684_000_000_000  # 13 May 2023


def item(item_id: str, text: str, **more: Any) -> MemoryItem:
    more = {"type": ItemType.USER_MESSAGE, "created_ms": AT - DAY_MS, "store": EPISODIC, "session": "s1", **more}
    return MemoryItem(id=item_id, text=text, **more)


class Letters:
    """Embeds by letters: no weights, and texts with the same letters are near each other."""

    name = "letters"
    dimensions = 26

    def embed(self, texts: Any) -> Any:
        found = np.zeros((len(texts), 26), dtype=np.float32)
        for row, text in enumerate(texts):
            for letter in text.lower():
                if "a" <= letter <= "z":
                    found[row, ord(letter) - 97] += 1
        lengths = np.linalg.norm(found, axis=1, keepdims=True)
        return (found / np.where(lengths == 0, 1, lengths)).astype(np.float32)


def vector(text: str) -> bytes:
    return Letters().embed([text])[0].astype("<f2").tobytes()
