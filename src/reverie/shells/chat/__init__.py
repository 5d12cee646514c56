"""A conversation in the terminal, on top of the continuum: reading, showing, and commands that begin with a slash."""
