"""What the shipped driver foresees of traffic, and how it gives way."""

import importlib.util
from dataclasses import dataclass

import numpy as np
import pytest

from autosim.traffic.vehicle_kinds import Light
from autosim.userprogram import SignalState, TrafficPerson, TrafficVehicle
from autosim.world.lanes.roads import RoadNetwork
from tests.paths import ROOT
from tests.traffic.vehicles.towns import lane, line

FRONT, HALF_WIDTH = 2.25, 0.9
NO_LIGHTS = Light(0)


@pytest.fixture(scope="module")
def driver():
    spec = importlib.util.spec_from_file_location("driver", ROOT / "userprograms" / "driver.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@dataclass
class Car:
    front: float = FRONT
    half_width: float = HALF_WIDTH
    can_back: bool = True


class Straight:
    """A path to the east from the origin."""

    def near(self, behind, ahead):
        ways = np.arange(-behind, ahead)
        return np.column_stack([ways, 0.0 * ways, 0.0 * ways]), ways


def streets():
    """To the east 0, to the west 1, from where 2 turns left to the south across 0, into 3."""
    arc = np.linspace(0.0, np.pi / 2.0, 12)
    bend = [(30.0 - 8.0 * np.sin(a), 3.5 - 8.0 * (1.0 - np.cos(a))) for a in arc]
    return RoadNetwork.from_lanes(
        [
            lane(0, line((-50.0, 0.0), (100.0, 0.0))),
            lane(1, line((100.0, 3.5), (30.0, 3.5)), successors=(2,)),
            lane(2, line(*bend, spacing=1.0), successors=(3,), is_connector=True),
            lane(3, line((22.0, -4.5), (22.0, -60.0))),
        ]
    )


def vehicle(x, y, yaw, speed, lights=NO_LIGHTS, kind="lorry", size=(7.6, 2.4)):
    return TrafficVehicle(0, kind, np.array([x, y, 0.0]), yaw, speed, lights, *size)


def allowed(driver, monkeypatch, speed, vehicles=(), people=()):
    """The speed [m/s] that the driver allows itself at a speed, at the origin, to the east."""
    monkeypatch.setattr(driver, "get_vehicles", lambda: list(vehicles))
    monkeypatch.setattr(driver, "get_people", lambda: list(people))
    pose = driver.Pose(np.zeros(2), 0.0, speed)
    others = driver.Traffic(streets()).around(pose, 0.0)
    return driver.speed_among(others, Car(), pose, Straight())


def person(x, y, yaw, speed):
    return TrafficPerson(0, np.array([x, y, 0.0]), yaw, speed)


def test_it_brakes_for_a_person_who_will_be_in_its_way(driver, monkeypatch):
    walks = allowed(driver, monkeypatch, 8.0, people=[person(15.0, -4.0, np.pi / 2, 1.4)])
    along = allowed(driver, monkeypatch, 8.0, people=[person(15.0, -4.0, 0.0, 1.4)])
    away = allowed(driver, monkeypatch, 8.0, people=[person(15.0, -4.0, -np.pi / 2, 1.4)])
    assert walks < 7.0
    assert along == away == np.inf


def test_it_passes_a_person_at_the_kerb_slowly(driver, monkeypatch):
    assert 5.0 <= allowed(driver, monkeypatch, 8.0, people=[person(4.0, -2.2, 0.0, 0.0)]) < 7.0


def test_it_heeds_a_lorry_that_turns_left_across_its_way(driver, monkeypatch):
    turns = vehicle(34.0, 3.5, np.pi, 6.0, Light.LEFT_INDICATOR)
    assert allowed(driver, monkeypatch, 8.0, [turns]) < 8.0
    waits = vehicle(34.0, 3.5, np.pi, 0.0, Light.LEFT_INDICATOR)
    assert allowed(driver, monkeypatch, 8.0, [waits]) == np.inf
    comes_on_its_lane = vehicle(60.0, 3.5, np.pi, 6.0)
    assert allowed(driver, monkeypatch, 8.0, [comes_on_its_lane]) == np.inf


def test_it_follows_whom_it_comes_up_behind_and_not_those_behind_it(driver, monkeypatch):
    ahead = allowed(driver, monkeypatch, 10.0, [vehicle(16.0, 0.0, 0.0, 6.0)])
    assert 5.0 < ahead < 9.0
    assert allowed(driver, monkeypatch, 10.0, [vehicle(-12.0, 0.0, 0.0, 12.0)]) == np.inf
    stands = allowed(driver, monkeypatch, 10.0, [vehicle(12.0, 0.0, 0.0, 0.0)])
    assert stands < 3.0


def test_it_backs_away_from_whom_it_stands_nose_to_nose_with(driver, monkeypatch):
    def backs(yaw, behind=()):
        faced = vehicle(9.0, 0.0, yaw, 0.0)
        monkeypatch.setattr(driver, "get_vehicles", lambda: [faced, *behind])
        monkeypatch.setattr(driver, "get_people", list)
        pose, standoff = driver.Pose(np.zeros(2), 0.0, 0.0), driver.Standoff()
        others = driver.Traffic(streets()).around(pose, 0.0)
        steps = range(round(10.0 / driver.PERIOD))
        return [standoff.is_on(Car(), pose, others) for _ in steps]

    found = backs(np.pi)
    assert not any(found[: round(3.0 / driver.PERIOD)])
    assert found[round(6.0 / driver.PERIOD)]
    assert not any(backs(0.0))
    assert not any(backs(np.pi, [vehicle(-9.0, 0.0, 0.0, 0.0)]))


def test_others_stop_at_red(driver):
    view = type("Lane", (), {"signal": SignalState.RED, "stop_line": 40.0})()
    truck = vehicle(0.0, 0.0, 0.0, 8.0)
    assert driver.red_ahead(truck, [(-20.0, view)]) == pytest.approx(20.0 - 3.8)
    view.signal = SignalState.GREEN
    assert driver.red_ahead(truck, [(-20.0, view)]) == np.inf
