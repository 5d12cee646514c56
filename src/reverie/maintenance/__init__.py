"""What memory does with what it has: keeping the index fresh, summaries, skills, merging, tuning."""
