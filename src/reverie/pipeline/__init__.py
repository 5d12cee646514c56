"""Join the stages: each module is one way through them, from a caller's words to the record and back."""
