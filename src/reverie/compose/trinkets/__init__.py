"""The sections that ship with Reverie; the factory of `continuum/` says which a profile has.

Each looks only at what it is handed (the inputs of the prompt, the time, the turn) and builds its text with `tag()` and
`data()`, so that no stored text can break out of its section, and each line can say where it comes from.
"""
