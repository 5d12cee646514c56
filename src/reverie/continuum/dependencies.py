"""The parts of its user's memory that a conversation needs."""

from dataclasses import dataclass

from reverie.maintenance.upkeep import Maintenance
from reverie.pipeline.agent_turn import AgentTurns
from reverie.pipeline.background import Background
from reverie.pipeline.ingest import Ingest
from reverie.pipeline.open_store import OpenStore
from reverie.pipeline.profile import Profile


@dataclass(frozen=True)
class UserParts:
    """The parts of one user's memory that conversations use."""

    store: OpenStore
    ingest: Ingest
    turns: AgentTurns
    maintenance: Maintenance
    profile: Profile
    background: Background
