"""What a person and their agent work on: goals, questions and pending actions."""
