"""Texts -> vectors by a small sentence model in ONNX form: some 8 ms a text, and about a point more of recall.

No wheel carries such a model, so a folder is given that has `model.onnx` and `tokenizer.json`, as the model hubs offer
them for all-MiniLM-L6-v2 and its like. Needs the extra `minilm`.
"""

import hashlib
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer

from reverie.errors import BadSettings
from reverie.ports import Env
from reverie.settings import EmbedSettings

_WINDOW = 256  # word pieces: what the model was trained on
_BATCH = 16  # texts at a time; they are padded to the longest


class MiniLM:
    """The mean of the model's last layer over a text's pieces, at length 1."""

    def __init__(self, model: bytes, pieces: Tokenizer) -> None:
        try:
            onnxruntime: Any = import_module("onnxruntime")
        except ImportError:
            raise BadSettings("embed.provider = \"minilm\" needs onnxruntime: pip install 'reverie[minilm]'") from None
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1  # an agent's own work comes first, and a fork must not meet a pool of threads
        self._session: Any = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
        self._inputs = {each.name for each in self._session.get_inputs()}
        self._pieces = pieces
        pieces.no_padding()
        pieces.enable_truncation(_WINDOW)
        self._name = f"minilm-{hashlib.sha256(model).hexdigest()[:12]}"
        self._dimensions = int(self._session.get_outputs()[0].shape[-1])

    @classmethod
    def load(cls, settings: EmbedSettings, env: Env) -> "MiniLM":
        """Read the model from the folder that the settings name."""
        if not settings.folder:
            raise BadSettings('embed.provider = "minilm" needs embed.folder, with model.onnx and tokenizer.json in it')
        found: list[bytes] = []
        for name in ("model.onnx", "tokenizer.json"):
            data = env.files.read(Path(settings.folder) / name)
            if data is None:
                raise BadSettings(f"no {name} in {settings.folder} (embed.folder)")
            found.append(data)
        return cls(found[0], Tokenizer.from_buffer(found[1]))

    @property
    def name(self) -> str:
        return self._name

    @property
    def dimensions(self) -> int:
        return self._dimensions

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        found = np.zeros((len(texts), self._dimensions), dtype=np.float32)
        ids = [self._pieces.encode(text).ids for text in texts]
        # Texts of like length together: padding is paid for like words.
        order = [row for row in sorted(range(len(texts)), key=lambda row: len(ids[row])) if texts[row].strip()]
        for start in range(0, len(order), _BATCH):
            rows = order[start : start + _BATCH]
            found[rows] = self._run([ids[row] for row in rows])
        lengths = np.sqrt(np.square(found, dtype=np.float64).sum(axis=1, keepdims=True))
        return (found / np.where(lengths == 0, 1, lengths)).astype(np.float32)

    def _run(self, ids: Sequence[Sequence[int]]) -> NDArray[np.float32]:
        width = max(1, *map(len, ids)) if len(ids) > 1 else max(1, len(ids[0]))
        padded = np.zeros((len(ids), width), dtype=np.int64)
        mask = np.zeros((len(ids), width), dtype=np.int64)
        for row, pieces in enumerate(ids):
            padded[row, : len(pieces)] = pieces
            mask[row, : len(pieces)] = 1
        given = {"input_ids": padded, "attention_mask": mask, "token_type_ids": np.zeros_like(padded)}
        output = self._session.run(None, {name: value for name, value in given.items() if name in self._inputs})[0]
        if output.ndim == 2:  # a model that pools by itself
            return np.asarray(output, dtype=np.float32)
        weights = mask[:, :, None].astype(np.float32)
        pooled = (output * weights).sum(axis=1) / np.maximum(weights.sum(axis=1), 1)
        return np.asarray(pooled, dtype=np.float32)
