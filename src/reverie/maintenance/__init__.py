"""Maintain what is stored: keep the index fresh, summarise, find skills, merge, tune."""
