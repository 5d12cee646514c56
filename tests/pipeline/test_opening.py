"""What a program may bring along when it opens a memory."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from reverie.memory import Memory
from reverie.ports import Prompt, Reply
from reverie.settings import ModelSettings, Settings
from reverie.testing import FakeEnv

LESSON = "Staging runs behind a proxy of the hosting company"


class Letters:
    """An embedder of one's own: how often each letter occurs."""

    name = "letters"
    dimensions = 26

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        rows = np.array([[text.lower().count(chr(97 + n)) for n in range(26)] for text in texts], dtype=np.float32)
        return np.asarray(rows / np.maximum(1, np.linalg.norm(rows, axis=1, keepdims=True)), dtype=np.float32)


class Own:
    """A model of one's own."""

    name = "own"

    def ask(self, prompt: Prompt) -> Reply:
        return Reply(f"FACT [o1] (0.9): {LESSON}", "own", input_tokens=900, output_tokens=40)


def test_an_embedder_of_ones_own_gives_the_vectors_of_every_user(tmp_path: Path) -> None:
    with Memory.open(tmp_path, env=FakeEnv(), embedder=Letters()) as memory:
        for user in ("local", "ana"):
            memory.of(user).note("The harbour is blue")
            assert memory.of(user).search("harbour")
            assert memory.of(user).engine.items.embedders() == {"letters": 1}


def test_a_model_of_ones_own_is_asked_within_the_budget(tmp_path: Path) -> None:
    prices = ModelSettings(
        daily_dollars=1.0, session_dollars=1.0, input_dollars_per_million=1.0, output_dollars_per_million=2.0
    )
    for settings, asked in ((prices, True), (replace(prices, daily_dollars=0.0), False)):
        with Memory.open(
            tmp_path / str(asked), env=FakeEnv(), settings=Settings(model=settings), model=Own()
        ) as memory:
            memory.observe("The staging port is 8443.", session="s")
            memory.commit()
            memory.parts.background.distil()
            if memory.settings.model.may_be_asked:
                memory.parts.background.ask_model()
            assert (LESSON in [it.text for it in memory.engine.learnings.all()]) == asked


def test_a_memory_for_a_moment_leaves_nothing_behind() -> None:
    with Memory.open(":memory:", env=FakeEnv()) as memory:
        memory.note("The harbour is blue")
        assert memory.search("harbour")
        home = memory.workspace.home
        assert home.exists()
        assert str(home) in repr(memory)
        assert "local" in repr(memory)
    assert not home.exists()
