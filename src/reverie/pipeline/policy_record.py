"""The gate's policy as the log keeps it, so that a rebuild judges by what was in force."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from reverie.foundation.as_json import goal_as_json, goal_from_json, listed
from reverie.gate.decide import Policy
from reverie.gate.mandates import Mandates
from reverie.records import JSON
from reverie.settings import GateSettings, PrivacySettings


def policy_as_json(policy: Policy) -> dict[str, JSON]:
    """Return what the log keeps of a policy."""
    return {
        "gate": asdict(policy.settings),
        "privacy": asdict(policy.privacy),
        "mandates": {name: list(lines) for name, lines in asdict(policy.mandates).items()},
        "goals": [goal_as_json(goal) for goal in policy.goals],
    }


def policy_from_json(data: Mapping[str, JSON], memory_types: tuple[str, ...]) -> Policy:
    """Read what `policy_as_json` wrote."""
    gate_settings, privacy, mandates = (_dict(data[name]) for name in ("gate", "privacy", "mandates"))
    return Policy(
        settings=GateSettings(**gate_settings),
        privacy=PrivacySettings(**privacy),
        mandates=Mandates(**{name: tuple(lines) for name, lines in mandates.items()}),
        goals=tuple(goal_from_json(goal) for goal in listed(data["goals"])),
        memory_types=memory_types,
    )


def _dict(value: JSON) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}
