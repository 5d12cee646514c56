"""Texts -> vectors by a server that speaks the OpenAI embeddings protocol: Ollama, vLLM, llama.cpp, a provider's own.

One request for each batch, each under its own deadline. No message from here repeats the texts or the key.
"""

import json
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from reverie.errors import BadSettings, ModelRefused, ModelUnavailable, UnreadableReply
from reverie.ports import Env, HttpRequest
from reverie.settings import EmbedSettings

_MAX_CHARS = 8_000  # of one text: servers refuse what is longer than their model's window
_BATCH = 64  # texts in one request: a server on a laptop answers within seconds
_TIMEOUT_SECONDS = 30.0  # for one request
_BYTES_A_NUMBER = 32  # of a reply, generously


class HttpEmbedder:
    """Vectors from `POST {base_url}/embeddings`."""

    def __init__(self, settings: EmbedSettings, env: Env) -> None:
        for knob in ("base_url", "model"):
            if not getattr(settings, knob):
                raise BadSettings(f'embed.provider = "http" needs embed.{knob}')
        self._settings = settings
        self._env = env
        self._dimensions = 0  # the first answer tells

    @property
    def name(self) -> str:
        return f"http-{self._settings.model}"

    @property
    def dimensions(self) -> int:
        if not self._dimensions:
            self._dimensions = len(self._ask(["dimensions"])[0])
        return self._dimensions

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        found = np.zeros((len(texts), self.dimensions), dtype=np.float32)
        some = [row for row, text in enumerate(texts) if text.strip()]  # servers refuse an empty text
        for start in range(0, len(some), _BATCH):
            rows = some[start : start + _BATCH]
            found[rows] = self._ask([texts[row][:_MAX_CHARS] for row in rows])
        lengths = np.sqrt(np.square(found, dtype=np.float64).sum(axis=1, keepdims=True))
        return (found / np.where(lengths == 0, 1, lengths)).astype(np.float32)

    def _ask(self, texts: Sequence[str]) -> NDArray[np.float32]:
        settings = self._settings
        headers = {"Content-Type": "application/json"}
        if settings.key_variable:
            key = self._env.variable(settings.key_variable)
            if not key:
                raise BadSettings(f"embed.key_variable is {settings.key_variable}, and that variable is not set")
            headers["Authorization"] = f"Bearer {key}"
        response = self._env.http(
            HttpRequest(
                method="POST",
                url=settings.base_url.rstrip("/") + "/embeddings",
                headers=headers,
                body=json.dumps({"model": settings.model, "input": list(texts)}).encode(),
                timeout_seconds=_TIMEOUT_SECONDS,
                max_bytes=len(texts) * _BYTES_A_NUMBER * max(self._dimensions, 8192) + 65_536,
            )
        )
        if response.status == 429 or response.status >= 500:
            raise ModelUnavailable(f"the embedder at {settings.base_url} answered {response.status}; try again later")
        if response.status != 200:
            raise ModelRefused(
                f"the embedder at {settings.base_url} answered {response.status}; see the [embed] settings"
            )
        return self._read(response.body, len(texts))

    def _read(self, body: bytes, count: int) -> NDArray[np.float32]:
        try:
            rows = sorted(json.loads(body)["data"], key=lambda row: row["index"])
            found = np.array([row["embedding"] for row in rows], dtype=np.float32)
        except (ValueError, KeyError, TypeError) as error:
            raise UnreadableReply("the embedder's answer is not a list of embeddings") from error
        wanted = (count, self._dimensions or found.shape[-1])
        if found.shape != wanted or not np.isfinite(found).all():
            raise UnreadableReply(f"asked for {wanted[0]} vectors of {wanted[1]} numbers, got {found.shape}")
        return found
