"""What is said to be the matter at the worst place of an invariant."""

from dataclasses import replace

import numpy as np
import pytest

from autosim.applications.maps.world_check import check_record, check_text
from autosim.world.profiles.profile import Profile
from autosim.world.streets.street_finding import WayPart
from autosim.world.validation.diagnosis import StreetsAbout, cause_of_wheel_lift, form_of_floor
from autosim.world.validation.ride_test import WheelLift
from autosim.world.validation.soundness import measures
from tests.paths import ROOT
from tests.world.crossing_streets import BRIDGE, over
from tests.world.maps import build_map
from tests.world.one_street import street

X = np.arange(0.0, 20.5, 0.5)


def path(z):
    return np.column_stack([X, np.zeros_like(X), z])


def falling(angle):
    """Level to 10 m, then down at an angle [rad]."""
    return path(-np.tan(angle) * np.maximum(X - 10.0, 0.0))


def test_a_kink_is_told_with_its_angle():
    assert form_of_floor(falling(0.09), 20) == "a kink of 0.09 rad"


def test_a_step_is_told_with_its_height():
    assert form_of_floor(path(np.where(X > 10.2, -0.4, 0.0)), 20) == "a step of 0.40 m"


def test_a_crest_is_told_with_its_radius():
    text = form_of_floor(path(-((X - 10.0) ** 2) / (2.0 * 12.0)), 20)
    assert text.startswith("a crest of radius 1")
    assert text.endswith(" m")


def level(line, z, way=7):
    s = np.array([0.0, float(np.linalg.norm(np.subtract(line[1], line[0])))])
    return replace(street(0, 1, line), parts=(WayPart(way, True),)), Profile(
        s, np.full(2, z), np.zeros(2)
    )


def cause(*others):
    """What is said of a kink at (10, 0) on a street along x, with others about it."""
    lines = [level([(-50.0, 0.0), (50.0, 0.0)], 0.0, way=1), *others]
    about = StreetsAbout([each[0] for each in lines], [each[1] for each in lines])
    floor = falling(0.09)
    return cause_of_wheel_lift(WheelLift(0.1, floor[24], floor, 20), about)


def test_a_hop_is_told_with_the_way_that_it_is_on():
    assert cause() == "a kink of 0.09 rad on way 1"


def test_a_street_in_the_same_place_at_another_height_is_named():
    assert cause(level([(-50.0, 3.0), (50.0, 3.0)], 0.9)) == (
        "a kink of 0.09 rad on way 1, with way 7 in the same place 0.9 m higher"
    )
    assert cause(level([(-50.0, 4.0), (50.0, 4.0)], -2.1)) == (
        "a kink of 0.09 rad on way 1, with way 7 beside it 2.1 m lower"
    )


@pytest.mark.parametrize("z", [0.0, 6.0])
def test_streets_at_the_same_height_or_a_level_away_are_not(z):
    assert cause(level([(-50.0, 3.0), (50.0, 3.0)], z)) == "a kink of 0.09 rad on way 1"


def test_the_check_says_what_is_the_matter_beside_each_worst_place(tmp_path):
    world = build_map(tmp_path, over(BRIDGE))
    assert check_record(world)["worst_causes"]["min_clearance_m"] == "way 2 over way 4"
    assert ": way 2 over way 4\n" in check_text(world)
    steepest = {each.name: each.cause for each in measures(world)}["grade_p99"]
    assert steepest.endswith(("on way 1", "on way 3"))


def test_the_check_says_what_to_do_about_a_broken_place(tmp_path):
    world = build_map(tmp_path, over(BRIDGE))
    assert "repair " not in check_text(world)
    steep = replace(
        world,
        invariants=(
            *((k, v) for k, v in world.invariants if k != "worst_hop_m"),
            ("worst_hop_m", 0.5),
        ),
        worst_places=(*world.worst_places, ("worst_hop_m", 47.0, 9.0)),
        worst_causes=(*world.worst_causes, ("worst_hop_m", "a step of 0.50 m on way 7")),
    )
    assert "https://www.openstreetmap.org/way/7" in check_text(steep)
    (advice,) = [line for line in check_text(steep).split("\n") if line.startswith("repair")]
    (document,) = [word for word in advice.split() if word.startswith("docs/")]
    assert "To repair it:" in (ROOT / document).read_text()
