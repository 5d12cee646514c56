"""A message -> what its writer says that is worth knowing: `findings.findings(message)`."""
