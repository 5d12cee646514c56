"""Domain documents: what a person and their agents know about one domain, in sections with versions."""
