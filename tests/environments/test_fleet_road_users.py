"""Cars of a fleet that share a copy of the town see, follow and hit one another."""

import numpy as np
import pytest
from gymnasium.vector import AutoresetMode

from autosim.environments.fleet import RAY_RANGE, FleetVectorEnv
from autosim.environments.fleet.fleet_kernels import COLLIDED
from autosim.environments.fleet.shared_town import CONFLICTS, NEIGHBOURS, WAITING, SharedTown
from autosim.environments.tasks import FollowLane
from autosim.environments.terminations import Collided
from autosim.loading.loader import load_world
from autosim.tracks import lane_view
from autosim.tracks.conflict_view import HALF_LENGTH
from autosim.tracks.neighbour_view import NEIGHBOUR_RANGE, NEIGHBOUR_WIDTH
from autosim.traffic.road_users import B
from autosim.traffic.vehicles.box_overlap import do_overlap
from autosim.world.pipeline.cache import compile_world

GOAL = lane_view.WIDTH
FIRST = GOAL + NEIGHBOURS


def fleet(cars: int = 2, rays: int = 0, **options: object) -> FleetVectorEnv:
    given: dict[str, object] = {
        "threads": 1,
        "shared": SharedTown(cars=2, traffic=0, observed=2),
        "task": FollowLane(offset=0.0, turn=0.0, endings=(Collided(),)),
        "autoreset_mode": AutoresetMode.SAME_STEP,
    }
    return FleetVectorEnv(cars=cars, rays=rays, **(given | options))  # type: ignore[arg-type]


def straight_path(environment: FleetVectorEnv) -> int:
    """The path that bends least in its first 60 m."""
    paths = environment.paths
    bends = [
        np.abs(np.diff(paths.headings[first : first + 30])).max() for first in paths.starts[:-1]
    ]
    return int(np.argmin(bends))


def in_a_row(environment: FleetVectorEnv, gap: float) -> np.ndarray:
    """Begins episodes on a straight path, one car `gap` [m] behind the other."""
    path = straight_path(environment)
    options = {"path": path, "station": np.array([4.0, 4.0 + gap])}
    return environment.reset(seed=1, options=options)[0]


def test_a_car_sees_the_other_one_ahead_and_that_one_sees_it_behind() -> None:
    seen = in_a_row(fleet(), 20.0)
    ahead, behind = seen[0, FIRST:], seen[1, FIRST:]
    assert ahead[:3] == pytest.approx([1.0, 20.0 / NEIGHBOUR_RANGE, 0.0], abs=0.01)
    assert behind[:3] == pytest.approx([1.0, -20.0 / NEIGHBOUR_RANGE, 0.0], abs=0.01)
    assert not ahead[NEIGHBOUR_WIDTH:].any()


def test_the_distance_to_the_goal_is_seen() -> None:
    environment = fleet(task=FollowLane(length=300.0, endings=()))
    path = straight_path(environment)
    points = environment.paths.starts[path + 1] - environment.paths.starts[path]
    seen = in_a_row(environment, 20.0)
    assert seen[0, GOAL] == pytest.approx(((points - 1) * 2.0 - 4.0) / 100.0, abs=0.02)


def test_a_leader_and_the_time_without_motion_are_seen() -> None:
    environment = fleet()
    in_a_row(environment, 20.0)
    for _ in range(20):
        seen = environment.step(np.array([[0.0, -1.0], [0.0, -1.0]], dtype=np.float32))[0]
    assert seen[:, GOAL + WAITING] == pytest.approx([0.2, 0.2], abs=0.02)
    assert seen[0, GOAL + CONFLICTS] == pytest.approx(1.0 - 15.0 / 44.0, abs=0.05)
    assert not seen[1, GOAL + CONFLICTS : FIRST].any()


def test_a_mirrored_car_sees_and_steers_as_in_a_mirror() -> None:
    assert compile_world(load_world("worlds/circle_town.xml").terrain).driving_side == "left"
    plain, mirrored = (fleet(rays=8, is_mirrored=each) for each in (False, True))
    for each in (plain, mirrored):
        in_a_row(each, 20.0)
    for _ in range(8):
        seen = plain.step(np.array([[0.2, 0.5], [-0.1, 0.4]], dtype=np.float32))[0]
        shown = mirrored.step(np.array([[-0.2, 0.5], [0.1, 0.4]], dtype=np.float32))[0]
    assert plain.cars.poses.tobytes() == mirrored.cars.poses.tobytes()
    assert shown[:, lane_view.OFFSET] == pytest.approx(-seen[:, lane_view.OFFSET])
    rays, turned = (each[:, lane_view.WIDTH : lane_view.WIDTH + 8] for each in (seen, shown))
    assert (turned == rays[:, [0, 7, 6, 5, 4, 3, 2, 1]]).all()


def test_a_ray_ends_at_the_other_car() -> None:
    rays = slice(lane_view.WIDTH, lane_view.WIDTH + 8)
    seen = in_a_row(fleet(rays=8), 20.0)[:, rays]
    assert seen[0, 0] == pytest.approx((20.0 - HALF_LENGTH) / RAY_RANGE, abs=0.005)
    assert seen[1, 4] == pytest.approx((20.0 - HALF_LENGTH) / RAY_RANGE, abs=0.005)
    alone = in_a_row(fleet(rays=8, shared=None), 20.0)[:, rays]
    assert (seen <= alone).all()
    assert (np.delete(seen[0], 0) == np.delete(alone[0], 0)).all()


def test_a_car_that_drives_into_another_has_collided_and_that_one_continues() -> None:
    environment = fleet()
    in_a_row(environment, 15.0)
    actions = np.array([[0.0, 1.0], [0.0, -1.0]], dtype=np.float32)
    for _ in range(60):
        _, _, ended, _, info = environment.step(actions)
        if ended.any():
            break
    assert ended.tolist() == [True, False]
    assert info["ended_by"][0] == COLLIDED
    apart = environment.cars.poses[0, :2] - environment.cars.poses[1, :2]
    assert np.linalg.norm(apart) > 9.0


def test_cars_of_other_copies_are_not_in_the_way() -> None:
    environment = fleet(shared=SharedTown(cars=1, traffic=0, observed=2))
    seen = in_a_row(environment, 15.0)
    actions = np.array([[0.0, 1.0], [0.0, -1.0]], dtype=np.float32)
    for _ in range(40):
        seen, _, ended, *_ = environment.step(actions)
        assert not ended.any()
    assert not seen[:, GOAL + CONFLICTS :].any()


def test_vehicles_of_traffic_keep_apart_and_get_on() -> None:
    environment = fleet(
        cars=4, shared=SharedTown(cars=1, traffic=12, observed=0), task=FollowLane(endings=())
    )
    environment.reset(seed=2)
    users = environment.users
    assert users is not None
    touching, speeds = 0, []
    for _ in range(300):
        environment.step(np.tile(np.array([0.0, -1.0], dtype=np.float32), (4, 1)))
        speeds.append(users.motion[:, 0].mean())
        for boxes in users.boxes:
            touching += sum(
                do_overlap(a, b) for k, a in enumerate(boxes[1:]) for b in boxes[2 + k :]
            )
    assert np.mean(speeds) > 4.0
    assert touching / (300 * 4 * 12) < 0.01


def test_a_vehicle_of_traffic_stops_behind_a_standing_car() -> None:
    environment = fleet(
        cars=1, shared=SharedTown(cars=1, traffic=1, observed=1), task=FollowLane(endings=())
    )
    environment.reset(seed=1)
    users = environment.users
    assert users is not None
    path = straight_path(environment)
    environment.reset(options={"path": path, "station": 40.0})
    users.path[0], users.stations[0], users.motion[0] = path, 4.0, (8.0, 0.0, 0.0)
    for _ in range(120):
        environment.step(np.array([[0.0, -1.0]], dtype=np.float32))
    gap = 40.0 - users.stations[0] - 2.0 * HALF_LENGTH
    assert users.motion[0, 0] < 0.1
    assert 0.5 < gap < 4.0


def test_episodes_begin_apart() -> None:
    environment = fleet(cars=64, shared=SharedTown(cars=16, traffic=8, observed=1))
    environment.reset(seed=5)
    users = environment.users
    assert users is not None
    for boxes in users.boxes:
        places = boxes[:, [B.x, B.y]]
        gaps = np.linalg.norm(places[:, None] - places[None], axis=2) + 1e3 * np.eye(len(boxes))
        assert (gaps < 8.0).mean() < 0.005


def test_any_number_of_threads_gives_the_same_bytes_with_others() -> None:
    found = []
    for threads in (1, 2, 3):
        environment = fleet(
            cars=40, rays=4, threads=threads, shared=SharedTown(cars=8, traffic=4, observed=3)
        )
        seen, _ = environment.reset(seed=4)
        rng = np.random.default_rng(0)
        for _ in range(50):
            seen, *_ = environment.step(rng.uniform(-0.5, 1.0, (40, 2)).astype(np.float32))
        found.append(seen.tobytes() + environment.cars.poses.tobytes())
        environment.close()
    assert found[0] == found[1] == found[2]


def test_a_town_shared_by_no_car_is_refused() -> None:
    with pytest.raises(ValueError, match="shared by one car or more"):
        SharedTown(cars=0)
