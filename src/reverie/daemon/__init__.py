"""The steward: the one background process of a store, its loop, its threads, its socket and its sign of life."""
