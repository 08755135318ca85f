"""Environments on a ramp of a motorway, and in a scenario."""

from pathlib import Path

import gymnasium
import numpy as np
import pytest

import autosim.environments  # noqa: F401 (it registers the environments)
from autosim.environments.driving import DrivingEnv
from autosim.environments.tasks import FollowLane
from autosim.environments.traffic_endings import OffRoad
from autosim.tracks.lane_paths import NoPathError

SCENARIO = """<Scenario name="pace" seconds="3">
  <{criterion} name="pace"><Speed of="impreza" min="2"/></{criterion}>
</Scenario>
"""

STAND, GO = np.array([0.0, -1.0], np.float32), np.array([0.0, 1.0], np.float32)


def driving(made: gymnasium.Env) -> DrivingEnv:
    """The environment without Gymnasium's wrappers."""
    found = made.unwrapped
    assert isinstance(found, DrivingEnv)
    return found


def test_episodes_of_merging_begin_on_ramps() -> None:
    made = gymnasium.make("autosim/Merge-v0", vehicles=2)
    environment = driving(made)
    roads = environment.run.compiled.roads
    is_ramp = roads.is_of_kind("motorway_link")
    lanes = set()
    for seed in range(6):
        made.reset(seed=seed)
        lane, _, _ = roads.nearest_lane(environment.agent.place)
        lanes.add(lane)
        assert is_ramp[lane]
    assert len(lanes) > 1
    made.close()


def test_a_route_begins_on_no_street_that_the_map_does_not_have() -> None:
    task = FollowLane(kind="motorway_link")
    with pytest.raises(NoPathError, match="no street of kind 'motorway_link'"):
        DrivingEnv("worlds/circle_town.xml", task=task)


def test_an_episode_ends_off_the_road_and_not_on_another_lane() -> None:
    task = FollowLane(routes=4, endings=(OffRoad(),))
    made = gymnasium.make("autosim/Merge-v0", vehicles=2, task=task)
    made.reset(seed=1, options={"path": 0, "station": 20.0})
    assert not made.step(STAND)[2]
    made.reset(seed=1, options={"path": 0, "station": 20.0, "offset": -14.0})
    _, reward, ended, _, info = made.step(STAND)
    assert ended
    assert info["ended_by"] == "OffRoad"
    assert reward < -4.0
    made.close()


@pytest.mark.parametrize(
    ("criterion", "action", "ended_by"),
    [("Never", STAND, "ScenarioPassed"), ("Never", GO, "ScenarioFailed")],
)
def test_an_episode_ends_with_the_verdict_of_its_scenario(
    criterion: str, action: np.ndarray, ended_by: str, tmp_path: Path
) -> None:
    file = tmp_path / "pace.xml"
    file.write_text(SCENARIO.format(criterion=criterion))
    made = gymnasium.make("autosim/Scenario-v0", scenario=file)
    made.reset(seed=1)
    for _ in range(40):
        _, _, ended, _, info = made.step(action)
        if ended:
            break
    assert info["ended_by"] == ended_by
    assert info["is_success"] is (ended_by == "ScenarioPassed")
    made.close()
