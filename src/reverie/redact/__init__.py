"""Text -> the same text without secrets and personal data. Imports nothing else of Reverie, so a hook can load it."""
