"""Traffic of towns for hours, as `make traffic-soak` runs it, and a short one of a small town."""

from dataclasses import replace

import pytest

from tests.paths import SHARED
from tests.soak.traffic import Count, soak

SOUND = Count(3600.0, collisions=0, endless=0, ran_red=0, lost=0, jams=3, arrived=200)


def counts_of(extract: str, hours: float, vehicles: int, people: int, piece: float) -> list[Count]:
    path = SHARED / "osm" / extract
    if not path.exists():
        pytest.skip("the shared OSM extracts are not there")
    return [*soak(str(path), hours, vehicles=vehicles, people=people, seed=0, piece=piece)]


@pytest.mark.parametrize("name", ["collisions", "endless", "ran_red", "lost"])
def test_one_of_what_must_not_be_is_a_failure(name: str) -> None:
    assert SOUND.is_sound
    assert not replace(SOUND, **{name: 1}).is_sound


def test_no_vehicle_of_a_small_town_is_lost_in_two_minutes() -> None:
    found = counts_of("city/perth_peanut_roundabout.osm", 1.0 / 30.0, 30, 10, 60.0)
    assert [each.seconds for each in found] == [60.0, 120.0]
    assert found[-1].is_sound
    assert found[-1].arrived > 3


@pytest.mark.long
@pytest.mark.parametrize(
    "extract", ["city/perth_peanut_roundabout.osm", "pbf/helsinki.osm.pbf", "pbf/baltimore.osm.pbf"]
)
def test_an_hour_of_traffic_is_sound(extract: str) -> None:
    found = counts_of(extract, 1.0, 100, 50, 600.0)
    assert found[-1].is_sound
    assert found[-1].arrived > 100
