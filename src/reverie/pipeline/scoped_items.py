"""Find the items that a scope such as `session:abc` names, also those that foreign memory types keep elsewhere."""

from collections.abc import Callable
from dataclasses import replace

from reverie.distil.source_trust import trust_of
from reverie.foundation.as_json import item_from_json
from reverie.pipeline.erase_plan import ErasePlan, doomed
from reverie.pipeline.store_views import EngineStoreView, Search
from reverie.ports import DeriveId, Engine
from reverie.records import Filters, MemoryItem, Observation
from reverie.stores.episodic import items_of
from reverie.stores.forget_scopes import ForgetScope, everything_of, in_scope, parse_scope
from reverie.stores.type_registry import TypeRegistry


class ScopedItems:
    """One user's memories by scope, for whoever wants some of them forgotten or brought back."""

    def __init__(
        self,
        engine: Engine,
        registry: TypeRegistry,
        search: Search,
        view: Callable[[str], EngineStoreView],
        derive_id: DeriveId,
    ) -> None:
        self._engine = engine
        self._registry = registry
        self._search = search
        self._view = view
        self._derive_id = derive_id

    def in_scope(self, scope: str) -> list[MemoryItem]:
        """Everything that a scope such as `session:abc` names, in all memory types."""
        return self._meant(self._scope(scope))

    def doomed(self, scope: str) -> ErasePlan:
        """Everything that has to go for good if a scope has."""

        def as_items(observation: Observation) -> list[MemoryItem]:
            return items_of(observation, self._derive_id, trust_of)

        wanted = self._scope(scope)
        return doomed(wanted, self._meant(wanted), self._engine, as_items)

    def _scope(self, scope: str) -> ForgetScope:
        from reverie.pipeline.short_ids import whole_ids

        wanted = parse_scope(scope, self._stores())
        return replace(wanted, ids=tuple(whole_ids(wanted.ids, self._engine)))

    def _meant(self, scope: ForgetScope) -> list[MemoryItem]:
        views = [EngineStoreView(name, self._engine, self._search) for name in self._stores()]
        return [item for view in views for item in in_scope(scope, view)]

    def _stores(self) -> list[str]:
        """Every memory type that may have items: also one that the settings have left out since."""
        return list(dict.fromkeys([*self._registry.names, *self._engine.items.stores()]))

    def kept_elsewhere(self, scope: str) -> list[str]:
        """The ids of what a scope names, was given to other people's memory types and is not in their views."""
        others, wanted = self._registry.others, self._scope(scope)
        if not others:
            return []
        filters = _for_types(wanted)
        homes = {str(event.data["id"]): str(event.data["store"]) for event in self._engine.history.events(["home"])}
        taken = [item_from_json(event.data["item"]) for event in self._engine.history.events(["memorize"])]
        given = [replace(item, store=homes[item.id]) for item in taken if homes.get(item.id) in others]
        meant = [item.id for item in given if filters.admits(item)]
        known = {item.id for item in self._engine.items.get(meant)}
        return [item_id for item_id in dict.fromkeys(meant) if item_id not in known]

    def forget_in_types(self, scope: str, at_ms: int, *, hard: bool) -> tuple[int, tuple[str, ...]]:
        """Let other people's memory types forget what a scope names; says how much, and which of them could not."""
        return self.forget_elsewhere(_for_types(self._scope(scope)), at_ms, hard=hard)

    def forget_elsewhere(self, filters: Filters, at_ms: int, *, hard: bool = False) -> tuple[int, tuple[str, ...]]:
        count = 0
        problems = []
        for name in self._registry.others:
            if filters.stores and name not in filters.stores:
                continue
            try:
                wanted = replace(filters, stores=())
                count += self._registry.get(name).forget(wanted, self._view(name), at_ms, hard=hard)
            except Exception as error:  # a stranger's code may raise anything
                problems.append(f"{name} memory has not forgotten it: {type(error).__name__}: {error}; forget it again")
        return count, tuple(problems)


def _for_types(scope: ForgetScope) -> Filters:
    """A scope as filters for a memory type: old, hidden and doubtful items are meant as well."""
    return replace(everything_of(scope.filters), stores=scope.filters.stores, ids=scope.ids, text=scope.text)
