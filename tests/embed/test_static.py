"""Static vectors: the same text, the same vector, whatever else is in the batch; near texts near each other."""

import subprocess
import sys

import numpy as np
import pytest

from reverie.embed import embedder_of
from reverie.embed.static import StaticEmbedder
from reverie.env.real import RealEnv
from reverie.errors import BadSettings
from reverie.settings import EmbedSettings


@pytest.fixture(scope="module")
def static() -> StaticEmbedder:
    found = embedder_of(EmbedSettings(), RealEnv())
    assert isinstance(found, StaticEmbedder)
    return found


def test_rows_of_length_one_and_zeros_for_nothing(static: StaticEmbedder) -> None:
    found = static.embed(["a cat on the mat", "", "x" * 100_000, "猫"])

    assert found.shape == (4, static.dimensions)
    assert found.dtype == np.float32
    assert np.linalg.norm(found, axis=1) == pytest.approx([1, 0, 1, 1], abs=1e-5)
    assert static.embed([]).shape == (0, static.dimensions)


def test_the_same_text_has_the_same_vector_in_any_batch(static: StaticEmbedder) -> None:
    texts = ["we moved to Lyon", "the build is red", "pears"]

    together = static.embed(texts)

    assert all((static.embed([text])[0] == row).all() for text, row in zip(texts, together, strict=True))


def test_like_texts_are_near(static: StaticEmbedder) -> None:
    dog, puppy, tax = static.embed(["my dog barks", "a puppy is barking", "income tax return"])

    assert dog @ puppy > dog @ tax


def test_it_starts_no_threads_and_does_not_import_wordllama() -> None:
    code = (
        "import sys, threading, os\n"
        "from reverie.embed import embedder_of\nfrom reverie.env.real import RealEnv\nfrom reverie.settings import EmbedSettings\n"
        "e = embedder_of(EmbedSettings(), RealEnv()); a = e.embed(['one text', 'and two'])\n"
        "pid = os.fork()\n"
        "if not pid: os._exit(0 if (e.embed(['one text', 'and two']) == a).all() else 1)\n"
        "print(os.waitpid(pid, 0)[1], threading.active_count(), 'wordllama' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)

    assert done.stdout.split() == ["0", "1", "False"]


def test_importing_the_room_loads_no_numpy() -> None:
    code = "import sys, reverie.embed, reverie.recall; print('numpy' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout.strip() == "False"


def test_none_means_words_alone() -> None:
    assert embedder_of(EmbedSettings(provider="none"), RealEnv()) is None


def test_missing_weights_name_the_way_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("reverie.embed.static._LOADED", {})

    class NoFiles:
        def read(self, path: object) -> None:
            return None

    class Env(RealEnv):
        def __init__(self) -> None:
            self.files = NoFiles()  # type: ignore[assignment]

    with pytest.raises(BadSettings, match="wordllama>="):
        embedder_of(EmbedSettings(), Env())
