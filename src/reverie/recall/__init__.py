"""A question -> ranked, packed memories, each with its why.

`question` widens what is asked, `answer` searches the index once and ranks what it finds by the formula in `rank`,
`floor` says how well the answer is founded, `pack` fills a budget, `why` explains.
"""

from reverie.recall.answer import Answer, Beside, answer_question
from reverie.recall.pack import Cost, pack
from reverie.recall.question import composite, most_packed
from reverie.recall.why import formula, why

__all__ = ["Answer", "Beside", "Cost", "answer_question", "composite", "formula", "most_packed", "pack", "why"]
