"""The person's time zone: settings, else the variable TZ, else what the machine is set to, as a `ZoneInfo`.

A wrong name is an error that names near ones. A machine that says nothing is on UTC, as its own C library has it.
"""

from difflib import get_close_matches
from io import BytesIO
from pathlib import Path
from zoneinfo import ZoneInfo, available_timezones

from reverie.errors import BadSettings
from reverie.ports import Env

_LOCALTIME = Path("/etc/localtime")
_DATABASE = "zoneinfo/"  # the folder of the time zone database, wherever it is: what follows it is a zone's name
_EXAMPLES = "Europe/Berlin or America/New_York"


def person_zone(name: str, env: Env, localtime: Path = _LOCALTIME) -> ZoneInfo:
    """The zone of the person: `name` is what the settings say, which may be nothing."""
    if name.strip():
        return named_zone(name.strip(), "person.time_zone")
    if variable := (env.variable("TZ") or "").removeprefix(":").strip():
        return _from_variable(variable, env)
    return _from_file(localtime, env) or ZoneInfo("UTC")


def named_zone(name: str, where: str = "time zone") -> ZoneInfo:
    """The zone of this name; `where` says who named it.

    >>> named_zone("Europe/Berln")
    Traceback (most recent call last):
    reverie.errors.BadSettings: time zone is 'Europe/Berln', which is not a time zone; did you mean Europe/Berlin?
    """
    if (zone := _known(name)) is not None:
        return zone
    near = near_zones(name)
    hint = f"did you mean {' or '.join(near)}?" if near else f"it takes a name such as {_EXAMPLES}"
    raise BadSettings(f"{where} is {name!r}, which is not a time zone; {hint}")


def near_zones(name: str) -> list[str]:
    """Names of zones that may have been meant: another spelling, or a city without its continent.

    >>> near_zones("new york")
    ['America/New_York']
    """
    wanted = name.casefold().replace(" ", "_")
    zones = {zone.casefold(): zone for zone in sorted(available_timezones()) if not zone.startswith("posix")}
    cities = {folded.rpartition("/")[2]: zone for folded, zone in zones.items() if "/" in folded}
    if exact := zones.get(wanted) or cities.get(wanted):
        return [exact]
    close = [zones[found] for found in get_close_matches(wanted, zones, n=3, cutoff=0.85)]
    return close or [cities[found] for found in get_close_matches(wanted.rpartition("/")[2], cities, n=3, cutoff=0.8)]


def _from_variable(text: str, env: Env) -> ZoneInfo:
    """TZ is a name, the path of a file, or a rule such as CET-1CEST,M3.5.0,M10.5.0/3."""
    zone = _from_file(Path(text), env) if text.startswith("/") else _known(text) or _from_rule(text)
    if zone is None:
        near = near_zones(text)
        hint = f"did you mean {near[0]}?" if near else f"set person.time_zone to a name such as {_EXAMPLES}"
        raise BadSettings(f"the variable TZ is {text!r}, which is not a time zone; {hint}")
    return zone


def _from_file(path: Path, env: Env) -> ZoneInfo | None:
    """A file of the database, by its name if the path or the link says one: a name is told to models."""
    target = env.files.link_target(path) or str(path)
    _, found, name = target.rpartition(_DATABASE)
    if found and (zone := _known(name)) is not None:
        return zone
    data = env.files.read(path)
    try:
        return ZoneInfo.from_file(BytesIO(data)) if data else None
    except ValueError:
        return None


def _known(name: str) -> ZoneInfo | None:
    try:
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError):  # unknown, a path that leads elsewhere, or a folder such as "Europe"
        return None


def _from_rule(rule: str) -> ZoneInfo | None:
    """A POSIX rule is the last line of every file of the database: this is a file that has nothing else."""
    header = b"TZif2" + bytes(15) + b"".join(count.to_bytes(4, "big") for count in (0, 0, 0, 0, 1, 1))
    nothing_else = header + bytes(6) + b"\0"  # one type of time, at UTC, with an empty name
    try:
        return ZoneInfo.from_file(BytesIO(nothing_else * 2 + b"\n" + rule.encode("ascii") + b"\n"))
    except ValueError:
        return None
