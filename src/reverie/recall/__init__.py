"""A question and what the memory types offer -> ranked, packed memories, each with its why.

`question` widens what is asked, `rank` orders the candidates by the formula, `pack` fills the budget, `why` explains.
"""

from reverie.recall.pack import Cost, pack
from reverie.recall.question import composite, offered
from reverie.recall.rank import Outline, leaders, one_per_source, rank
from reverie.recall.why import why

__all__ = ["Cost", "Outline", "composite", "leaders", "offered", "one_per_source", "pack", "rank", "why"]
