"""Whose time it is: the settings', else TZ's, else the machine's; a wrong name is told with the right one."""

from datetime import datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from reverie.errors import BadSettings
from reverie.foundation.zones import named_zone, near_zones, person_zone
from reverie.testing import FakeEnv

DATABASE = Path("/usr/share/zoneinfo")
needs_database = pytest.mark.skipif(not (DATABASE / "Europe/Berlin").exists(), reason="no time zone database here")


def offset(zone: ZoneInfo) -> timedelta | None:
    return datetime(2026, 7, 1, tzinfo=zone).utcoffset()


def test_the_settings_win_over_the_variable_and_the_machine(tmp_path: Path) -> None:
    env = FakeEnv(variables={"TZ": "Asia/Tokyo"})

    assert person_zone("Europe/Berlin", env).key == "Europe/Berlin"
    assert person_zone(" ", env).key == "Asia/Tokyo"
    assert person_zone("", FakeEnv(), tmp_path / "none").key == "UTC"


@needs_database
@pytest.mark.parametrize("text", ["Europe/Berlin", ":Europe/Berlin", "/usr/share/zoneinfo/Europe/Berlin",
                                  "CET-1CEST,M3.5.0,M10.5.0/3"])  # fmt: skip
def test_every_form_of_the_variable_is_read(text: str) -> None:
    zone = person_zone("", FakeEnv(variables={"TZ": text}))

    assert offset(zone) == timedelta(hours=2)
    assert datetime(2026, 12, 1, tzinfo=zone).tzname() == "CET"


@needs_database
def test_the_machine_s_zone_has_its_name_where_a_link_says_it(tmp_path: Path) -> None:
    link, copy, broken = tmp_path / "link", tmp_path / "copy", tmp_path / "broken"
    link.symlink_to(DATABASE / "Europe/Berlin")
    copy.write_bytes((DATABASE / "Europe/Berlin").read_bytes())
    broken.write_bytes(b"nonsense")

    assert person_zone("", FakeEnv(), link).key == "Europe/Berlin"
    assert offset(person_zone("", FakeEnv(), copy)) == timedelta(hours=2)
    assert person_zone("", FakeEnv(), broken).key == "UTC"


@pytest.mark.parametrize("name", ["Europe/Berln", "europe/berlin", "Berlin", "berlin"])
def test_a_wrong_name_is_told_with_the_right_one(name: str) -> None:
    with pytest.raises(BadSettings, match=r"person\.time_zone is .*did you mean Europe/Berlin"):
        person_zone(name, FakeEnv())


@pytest.mark.parametrize(
    "name", ["Europe", "../../etc/passwd", "/etc/passwd", "x\0y", "Mars/Phobos", "+02:00", "é" * 500]
)
def test_what_is_no_name_at_all_is_refused(name: str) -> None:
    with pytest.raises(BadSettings, match="not a time zone"):
        named_zone(name)


def test_a_wrong_variable_says_that_it_is_the_variable() -> None:
    with pytest.raises(BadSettings, match=r"the variable TZ is 'Nowhere'.*set person\.time_zone"):
        person_zone("", FakeEnv(variables={"TZ": "Nowhere"}))


def test_cities_are_known_by_their_last_name() -> None:
    assert near_zones("new york") == ["America/New_York"]
    assert near_zones("buenos aires")[0].endswith("Buenos_Aires")
