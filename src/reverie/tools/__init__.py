"""The tools that an agent may call: each is usable from Python, from the command line, and by a model."""
