"""Sections and messages -> what is sent to a provider, and what that costs its prefix cache."""
