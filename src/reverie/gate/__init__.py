"""A write event -> keep, merge, drop or quarantine: personal data out, trust, scores, route."""
