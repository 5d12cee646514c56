"""Texts -> vectors: static word vectors by default, a small model or an HTTP server by setting.

`embedder_of` makes the one that the settings name. Nothing heavy is imported before that.
"""

from reverie.ports import Embedder, Env
from reverie.settings import EmbedSettings


def embedder_of(settings: EmbedSettings, env: Env) -> Embedder | None:
    """The embedder that the settings ask for; None if they ask for none, and search is by words alone."""
    match settings.provider:
        case "none":
            return None
        case "static":
            from reverie.embed.static import StaticEmbedder

            return StaticEmbedder.load(env)
        case "minilm":
            from reverie.embed.minilm import MiniLM

            return MiniLM.load(settings, env)
        case "http":
            from reverie.embed.http import HttpEmbedder

            return HttpEmbedder(settings, env)
