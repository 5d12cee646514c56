"""All that runs in a hook process, and what others share with it. Imports `redact/` and nothing else of Reverie."""
