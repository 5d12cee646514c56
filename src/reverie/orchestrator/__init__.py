"""The memory orchestrator: what joins the gate, the memory types, recall and the turn's trace.

`calls` are what an agent calls around a turn; `keeping` is the way in, `searcher` the way out, `tending` the slow work
in between, `turns` the trace, `store_views` what each memory type is handed.
"""

from reverie.orchestrator.calls import Orchestrator

__all__ = ["Orchestrator"]
