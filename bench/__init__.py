"""What Reverie costs, measured: `python -m bench` runs every part and compares it with its bar."""
