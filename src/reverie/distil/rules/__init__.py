"""Rules that find in a message what is worth knowing: cue files for each language, and the code that applies them."""
