"""The same episodes in a running server, to the last bit."""

from collections.abc import Iterator
from pathlib import Path

import gymnasium
import numpy as np
import pytest

from autosim.client.link.client_errors import ClientError
from autosim.client.link.simulation_control import simulation_control
from autosim.environments.driving import DrivingEnv
from autosim.environments.observations import DeviceValues, LaneView
from autosim.environments.shipped import with_lidar
from autosim.environments.tasks import FollowLane
from autosim.loading.loader import load_world
from autosim.server.network.front import ServerOptions
from autosim.server.network.server_process import ServerProcess
from tests.environments.test_driving import AHEAD, TOWN, follow
from tests.paths import ROOT

OPTIONS = {
    "task": FollowLane(routes=8),
    "observations": (LaneView(), DeviceValues("chassis.gyro_yaw")),
}


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """Of a server with the small town, whose car drives by itself until somebody learns."""
    options = ServerOptions("127.0.0.1:0", real_time_factor=1.0)
    with ServerProcess(load_world(TOWN), options) as server:
        yield server.address


@pytest.fixture(scope="module")
def served(address: str) -> Iterator[DrivingEnv]:
    """The environment of a car in that server."""
    made = DrivingEnv(address=address, **OPTIONS)
    yield made
    made.close()


def episode(environment: DrivingEnv, seed: int, steps: int) -> list[object]:
    """What an episode shows: observations as bytes, rewards, digests."""
    seen, _ = environment.reset(seed=seed)
    told: list[object] = [np.asarray(seen).tobytes(), environment.digest]
    for step in range(steps):
        action = follow(np.asarray(seen))
        action[0] += 0.2 * np.sin(step)
        seen, reward, ended, _, info = environment.step(np.clip(action, -1.0, 1.0))
        told += [np.asarray(seen).tobytes(), reward, environment.digest, info]
        if ended:
            break
    return told


def test_an_episode_in_a_server_is_that_of_this_process(served: DrivingEnv) -> None:
    local = DrivingEnv(TOWN, **OPTIONS)
    for seed in (3, 4, 3):
        assert episode(served, seed, 30) == episode(local, seed, 30)
    local.close()


def test_a_crash_in_a_server_is_that_of_this_process(served: DrivingEnv) -> None:
    local = DrivingEnv(TOWN, **OPTIONS)
    ends = []
    for environment in (served, local):
        environment.reset(seed=8)
        for _ in range(100):
            environment.step(np.array([0.9, 1.0], dtype=np.float32))
        ends.append(environment.digest)
    local.close()
    assert ends[0] == ends[1]


def test_it_is_made_by_its_name(address: str, served: DrivingEnv) -> None:
    made = gymnasium.make("autosim/LaneKeeping-v0", address=address, task=FollowLane(routes=2))
    made.reset(seed=1)
    *_, info = made.step(AHEAD)
    assert info["speed"] > 0.0
    made.close()


def test_a_town_with_traffic_in_a_server_is_that_of_this_process(tmp_path: Path) -> None:
    file = tmp_path / "town.xml"
    text = (ROOT / TOWN).read_text().replace("robots/impreza.xml", "robots/lidar_car.xml")
    traffic = '<Traffic><Vehicles count="6"/><People count="3"/></Traffic>'
    file.write_text(text.replace("</World>", f"{traffic}</World>"))
    told = []
    with ServerProcess(load_world(file), ServerOptions("127.0.0.1:0")) as server:
        for given in ({"world": file}, {"address": server.address}):
            made = gymnasium.make("autosim/Town-v0", lidar="chassis.lidar", **given)
            told.append(episode(made.unwrapped, 5, 10))
            made.close()
    assert len(told[0]) > 12
    assert told[0] == told[1]


def test_somebody_else_who_steps_is_noticed(address: str, served: DrivingEnv) -> None:
    served.reset(seed=1)
    with simulation_control(address) as control:
        control.step(5)
    with pytest.raises(ClientError, match="another client steps its simulation"):
        served.step(AHEAD)
    served.reset(seed=1)
    served.step(AHEAD)


def test_a_robot_that_the_server_does_not_have_is_refused(address: str) -> None:
    robot = with_lidar(load_world(TOWN).robots[0].robot, 8)
    with pytest.raises(ClientError, match="another world than"):
        DrivingEnv(address=address, robot=robot, **OPTIONS)


def test_an_environment_needs_a_world_or_a_server() -> None:
    with pytest.raises(ValueError, match="a world, or the address of a server"):
        DrivingEnv()
