"""A command loads what it needs: one that a running steward answers does without the rest of the package."""

import subprocess
import sys

import pytest

HEAVY = ("reverie.memory", "reverie.daemon.steward", "reverie.shells.health", "reverie.models.budget", "rich", "numpy")


@pytest.mark.parametrize("module", ["main", "remember", "recall", "opened_memory"])
def test_the_module_of_a_small_command_does_not_load_the_package(module: str) -> None:
    code = f"import sys, reverie.shells.cli.{module}; print(*sys.modules)"

    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()

    assert [name for name in HEAVY if name in loaded] == []
