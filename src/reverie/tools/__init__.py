"""What an agent may call: each tool is usable from Python, from the command line, and by a model."""
