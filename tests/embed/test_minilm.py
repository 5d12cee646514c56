"""A sentence model in a folder: read, run, pooled; and what is said when it cannot be."""

import importlib.util
import json
import sys
from pathlib import Path

import numpy as np
import pytest

from reverie.embed import embedder_of
from reverie.env.real import RealEnv
from reverie.errors import BadSettings
from reverie.settings import EmbedSettings

HAS_RUNTIME = importlib.util.find_spec("onnxruntime") is not None


def varint(value: int) -> bytes:
    out = b""
    while True:
        value, low = value >> 7, value & 127
        out += bytes([low | (128 if value else 0)])
        if not value:
            return out


def number(field: int, value: int) -> bytes:
    return varint(field << 3) + varint(value)


def blob(field: int, value: bytes | str) -> bytes:
    value = value.encode() if isinstance(value, str) else value
    return varint(field << 3 | 2) + varint(len(value)) + value


def value_info(name: str, kind: int, shape: list[str | int]) -> bytes:
    dims = b"".join(blob(1, number(1, d) if isinstance(d, int) else blob(2, d)) for d in shape)
    return blob(1, name) + blob(2, blob(1, number(1, kind) + blob(2, dims)))


def tiny_model() -> bytes:
    """An ONNX file of one node: Gather(table, input_ids) -> a vector of 2 for each piece."""
    table = np.array([[0, 0], [1, 0], [0, 1], [3, 4]], dtype=np.float32)
    tensor = number(1, 4) + number(1, 2) + number(2, 1) + blob(8, "table") + blob(9, table.tobytes())
    node = blob(1, "table") + blob(1, "input_ids") + blob(2, "out") + blob(4, "Gather")
    graph = blob(1, node) + blob(2, "tiny") + blob(5, tensor)
    graph += blob(11, value_info("input_ids", 7, ["b", "t"])) + blob(12, value_info("out", 1, ["b", "t", 2]))
    return number(1, 8) + blob(7, graph) + blob(8, blob(1, "") + number(2, 13))


def folder_with_a_model(folder: Path) -> EmbedSettings:
    vocabulary = {"[UNK]": 0, "pear": 1, "plum": 2, "fig": 3}
    tokenizer = {
        "version": "1.0", "truncation": None, "padding": None, "added_tokens": [], "normalizer": {"type": "Lowercase"},
        "pre_tokenizer": {"type": "Whitespace"}, "post_processor": None, "decoder": None,
        "model": {"type": "WordLevel", "vocab": vocabulary, "unk_token": "[UNK]"},
    }  # fmt: skip
    (folder / "tokenizer.json").write_text(json.dumps(tokenizer))
    (folder / "model.onnx").write_bytes(tiny_model())
    return EmbedSettings(provider="minilm", folder=str(folder))


@pytest.mark.skipif(not HAS_RUNTIME, reason="needs onnxruntime (extra minilm)")
def test_the_mean_of_the_pieces(tmp_path: Path) -> None:
    embedder = embedder_of(folder_with_a_model(tmp_path), RealEnv())

    found = embedder.embed(["pear plum", "fig", "", "pear"])

    assert embedder.dimensions == 2
    assert embedder.name.startswith("minilm-")
    assert np.allclose(found, [[0.5**0.5, 0.5**0.5], [0.6, 0.8], [0, 0], [1, 0]], atol=1e-6)


def test_without_the_extra_it_says_how_to_get_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "onnxruntime", None)  # as if it were not installed
    with pytest.raises(BadSettings, match=r"pip install 'reverie\[minilm\]'"):
        embedder_of(folder_with_a_model(tmp_path), RealEnv())


def test_a_folder_without_a_model(tmp_path: Path) -> None:
    with pytest.raises(BadSettings, match=r"embed\.folder"):
        embedder_of(EmbedSettings(provider="minilm"), RealEnv())
    with pytest.raises(BadSettings, match=r"model\.onnx"):
        embedder_of(EmbedSettings(provider="minilm", folder=str(tmp_path)), RealEnv())
