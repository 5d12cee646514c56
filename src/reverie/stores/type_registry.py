"""The memory types by name, in the order in which they are asked. What we ship and what others write are alike here.

A package offers a memory type by an entry point of the group `reverie.memory_types`: a class or function that takes no
arguments and gives a `MemoryType`. It is loaded when its name is first asked for; nothing happens on import.
"""

from collections.abc import Iterable, Iterator

from reverie.errors import BadInput, ReverieError, UnknownMemoryType
from reverie.ports import DeriveId, MemoryType
from reverie.records import AUTO
from reverie.settings import StoreSettings
from reverie.stores.base_type import UnregisteredType
from reverie.stores.conversation import Conversation
from reverie.stores.episodic import Episodic
from reverie.stores.filters import unknown
from reverie.stores.overflow_summary import Summarise, shorten_items
from reverie.stores.semantic import Semantic
from reverie.stores.working import Working

GROUP = "reverie.memory_types"
_OURS = (Working, Episodic, Semantic, Conversation, UnregisteredType)
_INTERFACE = ("name", "accepts", "memorize", "remember", "forget", "summarize", "capacity")


def shipped(settings: StoreSettings, derive_id: DeriveId, summarise: Summarise = shorten_items) -> list[MemoryType]:
    """Our four memory types."""
    return [
        Working(settings, derive_id, summarise),
        Episodic(settings, derive_id, summarise),
        Semantic(settings, summarise),
        Conversation(settings, derive_id, summarise),
    ]


class TypeRegistry:
    """Memory types, registered at run time."""

    def __init__(self, memory_types: Iterable[MemoryType] = ()) -> None:
        self._types: dict[str, MemoryType] = {}
        for memory_type in memory_types:
            self.register(memory_type)

    def register(self, memory_type: MemoryType) -> None:
        """Add a memory type after those that are there."""
        missing = [name for name in _INTERFACE if not hasattr(memory_type, name)]
        if missing:
            raise BadInput(f"{memory_type!r} is not a memory type: it has no {', '.join(missing)}")
        name = memory_type.name
        if not name or name == AUTO:
            raise BadInput(f'a memory type cannot be called "{name}"')
        known = self._types.get(name, memory_type)
        if known is not memory_type and not isinstance(known, UnregisteredType):
            raise BadInput(f'there is a memory type "{name}" already; give this one another name')
        self._types[name] = memory_type

    def adopt(self, name: str, settings: StoreSettings, summarise: Summarise = shorten_items) -> None:
        """Make room for items that are here already, though nobody has registered their memory type.

        An installed package that offers it is used; otherwise `Plain` stands in until somebody registers it.
        """
        try:
            self.get(name)
        except (ReverieError, ImportError):
            self._types[name] = UnregisteredType(name, settings, summarise)

    def __iter__(self) -> Iterator[MemoryType]:
        return iter(self._types.values())

    def __contains__(self, name: object) -> bool:
        return name in self._types

    @property
    def names(self) -> list[str]:
        return list(self._types)

    def get(self, name: str) -> MemoryType:
        """The memory type of this name; looked for among installed packages if it is not registered yet."""
        if name not in self._types:
            self._load(name)
        return self._types[name]

    def chosen(self, names: Iterable[str]) -> "TypeRegistry":
        """A registry of these alone, in this order: what the setting `memory_types` asks for."""
        return TypeRegistry(self.get(name) for name in dict.fromkeys(names))

    def _load(self, name: str) -> None:
        from importlib.metadata import entry_points  # takes a while, and most processes never need it

        offered = {point.name: point for point in entry_points(group=GROUP)}
        if name not in offered:
            raise UnknownMemoryType(unknown("memory type", name, [*self._types, *offered]))
        found = offered[name].load()
        memory_type = found() if callable(found) else found
        if getattr(memory_type, "name", None) != name:
            said = getattr(memory_type, "name", None)
            raise BadInput(f'the entry point "{name}" of {GROUP} gives a memory type called {said!r}; make them agree')
        self.register(memory_type)

    @property
    def others(self) -> list[str]:
        """The memory types that are asked for themselves, because they are other people's: the index searches ours."""
        return [one.name for one in self if type(one) not in _OURS]
