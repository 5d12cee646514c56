"""The outside world of this machine behind `Env`: clocks, chance, files, HTTP."""
