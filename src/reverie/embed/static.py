"""Texts -> vectors by adding up the vectors of their word pieces: no model runs, and 0.2 ms is enough for a text.

The weights and the vocabulary are in the `wordllama` wheel. We read its two files and never import it: its own loader
looks for downloads.
"""

import importlib.util
import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer

from reverie.errors import BadSettings
from reverie.ports import Env

_WEIGHTS = "weights/l2_supercat_256.safetensors"
_PIECES = "tokenizers/l2_supercat_tokenizer_config.json"
_MAX_CHARS = 20_000  # of one text; what is said later hardly turns the sum any more


class StaticEmbedder:
    """The sum of the pieces' vectors, at length 1."""

    def __init__(self, weights: NDArray[np.float16], pieces: Tokenizer) -> None:
        # float16 on disk; turning them into float32 for each text would take four times as long as all the rest.
        self._weights = weights.astype(np.float32)
        self._pieces = pieces
        pieces.no_padding()
        pieces.no_truncation()
        # The tokenizer keeps words that it has seen, where a forgotten one would stay. It is as fast without.
        resize = getattr(pieces.model, "_resize_cache", None)
        if resize is not None:
            resize(0)

    @classmethod
    def load(cls, env: Env) -> "StaticEmbedder":
        """Read the weights from the installed wheel, once in a process: many users may share them."""
        spec = importlib.util.find_spec("wordllama")
        if spec is None or not spec.submodule_search_locations:
            raise BadSettings(
                "the static embedder needs the weights in the package wordllama: pip install wordllama, "
                'or set embed.provider = "none"'
            )
        folder = Path(next(iter(spec.submodule_search_locations)))
        if folder not in _LOADED:
            weights, pieces = _read(env, folder / _WEIGHTS), _read(env, folder / _PIECES)
            _LOADED[folder] = cls(read_tensor(weights), Tokenizer.from_buffer(pieces))
        return _LOADED[folder]

    @property
    def name(self) -> str:
        return f"static-l2-supercat-{self.dimensions}"

    @property
    def dimensions(self) -> int:
        return int(self._weights.shape[1])

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        found = np.zeros((len(texts), self.dimensions), dtype=np.float32)
        for row, text in enumerate(texts):
            # One by one: `encode_batch` would start a pool of threads, and a process that forks later may hang on it.
            ids = self._pieces.encode(text[:_MAX_CHARS], add_special_tokens=False).ids
            if ids:
                np.add.reduce(self._weights.take(ids, axis=0), axis=0, out=found[row])
        lengths = np.sqrt(np.square(found, dtype=np.float64).sum(axis=1, keepdims=True))
        return (found / np.where(lengths == 0, 1, lengths)).astype(np.float32)


_LOADED: dict[Path, StaticEmbedder] = {}


def read_tensor(data: bytes) -> NDArray[np.float16]:
    """The one float16 matrix of a safetensors file: 8 bytes of header length, a JSON header, the raw numbers."""
    size = int.from_bytes(data[:8], "little")
    header = {name: entry for name, entry in json.loads(data[8 : 8 + size]).items() if name != "__metadata__"}
    (entry,) = header.values()
    if entry["dtype"] != "F16":
        raise BadSettings(f"the static weights are {entry['dtype']}, not the F16 that this version reads")
    first, last = entry["data_offsets"]
    return np.frombuffer(data[8 + size + first : 8 + size + last], dtype="<f2").reshape(entry["shape"])


def _read(env: Env, path: Path) -> bytes:
    data = env.files.read(path)
    if data is None:
        raise BadSettings(f"{path.name} is not in the installed wordllama; this version needs wordllama>=0.3.9")
    return data
