"""Goals, questions and pending actions that a person and their agent work on."""
