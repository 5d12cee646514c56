"""What asks to be remembered -> keep, merge, drop or quarantine: personal data out, trust, scores, route."""
