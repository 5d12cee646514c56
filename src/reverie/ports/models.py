"""Language models: one question, one answer, or an error that says what to do."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, Protocol


@dataclass(frozen=True, slots=True)
class Prompt:
    system: str
    user: str
    max_output_tokens: int


@dataclass(frozen=True, slots=True)
class Reply:
    text: str
    model: str
    input_tokens: int
    output_tokens: int
    cache_read_tokens: int = 0
    cache_write_tokens: int = 0
    end: Literal["done", "limit"] = "done"


class Model(Protocol):
    """A language model. Raises a ModelError for everything that is not a usable answer."""

    @property
    def name(self) -> str: ...

    def ask(self, prompt: Prompt) -> Reply: ...


Ask = Callable[[Prompt], Reply]
