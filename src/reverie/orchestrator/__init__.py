"""What joins the gate, the memory types, recall and the turn's trace.

`keeping` is the way in, `searcher` the way out, `tending` the slow work in between, `turns` the trace, `store_views`
what each memory type is handed.
"""
