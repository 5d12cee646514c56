"""Small tools that every folder may use: ids, text, chunks, time zones, JSON, workspaces. They know no stage."""
