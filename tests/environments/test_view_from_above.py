"""A view from above shows streets, the route, road users and signals where they are."""

from collections.abc import Iterator

import gymnasium
import numpy as np
import pytest

import autosim.environments  # noqa: F401 (it registers the names)
from autosim.environments.driving import DrivingEnv
from autosim.environments.observations import LaneView
from autosim.environments.traffic_watch import TrafficWatch
from autosim.environments.view_from_above import (
    PEOPLE,
    ROUTE,
    SIGNALS,
    STREET,
    VEHICLES,
    ViewFromAbove,
)
from autosim.traffic.traffic_node import traffic_arrays_of
from autosim.world.lanes.lane_rules import SignalState

VIEW = ViewFromAbove(width=64, height=80, metres=0.5, share=0.75)
CAR = 60, 32


@pytest.fixture(scope="module")
def environment() -> Iterator[DrivingEnv]:
    """A car that sees itself from above."""
    made = gymnasium.make("autosim/Junction-v0", vehicles=2, people=2, observations=(VIEW,))
    assert isinstance(made.unwrapped, DrivingEnv)
    yield made.unwrapped
    made.close()


def watch_of(environment: DrivingEnv) -> TrafficWatch:
    watch = environment.agent.situation.traffic
    assert watch is not None
    return watch


def look(environment: DrivingEnv) -> np.ndarray:
    """The view now."""
    environment.agent.look_around()
    seen = environment.agent.observe()
    assert isinstance(seen, np.ndarray)
    return seen


def test_the_car_is_on_its_street_and_the_route_leads_ahead(environment: DrivingEnv) -> None:
    seen, _ = environment.reset(seed=1, options={"path": 2, "station": 30.0, "offset": 0.0})
    assert isinstance(seen, np.ndarray)
    assert environment.observation_space.contains(seen)
    row, column = CAR
    assert seen[row, column, STREET] == seen[row, column, ROUTE] == 255
    assert seen[row - 10, column, ROUTE] == 255  # 5 m ahead
    route = np.flatnonzero(seen[row - 4, :, ROUTE])
    assert len(route) == pytest.approx(4, abs=1)  # 2 m wide
    assert (seen[..., STREET] == 0).any()


def test_vehicles_and_people_are_where_they_are(environment: DrivingEnv) -> None:
    environment.reset(seed=1, options={"path": 2, "station": 30.0})
    arrays = traffic_arrays_of(environment.state)
    assert arrays is not None
    arrays.vehicles[:, 0] = arrays.people[:, 0] = -1.0
    look(environment)
    x, y, z, yaw, _ = watch_of(environment).pose.tolist()
    ahead, left = np.array([np.cos(yaw), np.sin(yaw)]), np.array([-np.sin(yaw), np.cos(yaw)])
    arrays.vehicles[0, :5] = 0.0, *(np.array([x, y]) + 15.0 * ahead), z, yaw
    arrays.people[0, :5] = 0.0, *(np.array([x, y]) + 6.0 * left), z, 0.0
    seen = look(environment)
    rows, columns = np.nonzero(seen[..., VEHICLES])
    assert rows.mean() + 0.5 == pytest.approx(CAR[0] - 30, abs=0.6)
    assert columns.mean() + 0.5 == pytest.approx(CAR[1], abs=0.6)
    assert np.ptp(rows) > 2 * np.ptp(columns)  # it is longer than it is wide
    rows, columns = np.nonzero(seen[..., PEOPLE])
    assert rows.mean() + 0.5 == pytest.approx(CAR[0], abs=1.1)
    assert columns.mean() + 0.5 == pytest.approx(CAR[1] - 12, abs=1.1)


def test_a_stop_line_is_as_bright_as_its_signal(environment: DrivingEnv) -> None:
    environment.reset(seed=1)
    lines, _ = watch_of(environment).signal_lines()
    middle = 0.5 * (lines[0, :2] + lines[0, 2:4])
    environment.reset(seed=1, options={"position": middle})
    arrays = traffic_arrays_of(environment.state)
    assert arrays is not None
    found = []
    for light in (SignalState.RED, SignalState.GREEN, SignalState.OFF):
        arrays.signals[:] = light
        found.append(int(look(environment)[CAR[0] - 4 : CAR[0] + 4, :, SIGNALS].max()))
    assert found == [255, 85, 0]


def test_it_is_seen_beside_numbers_and_without_traffic() -> None:
    made = gymnasium.make("autosim/LaneKeeping-v0", observations=(LaneView(), VIEW))
    seen, _ = made.reset(seed=1)
    assert set(seen) == {"numbers", "view_from_above"}
    assert seen["view_from_above"][..., STREET].any()
    assert not seen["view_from_above"][..., VEHICLES:].any()
    made.close()


@pytest.mark.parametrize("given", [{"width": 0}, {"metres": 0.0}, {"share": 1.5}])
def test_a_view_of_nothing_is_refused(given: dict[str, float]) -> None:
    with pytest.raises(ValueError, match="expected pixels of some size"):
        ViewFromAbove(**given)  # type: ignore[arg-type]
