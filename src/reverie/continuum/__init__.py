"""One conversation as it runs: segments, the turn loop, and the factory that puts the parts together."""
