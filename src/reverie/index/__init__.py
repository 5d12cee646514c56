"""Items -> a search index in memory, derived from the record and in step with it. `ItemIndex` is the one we ship."""

from reverie.index.items import ItemIndex

__all__ = ["ItemIndex"]
