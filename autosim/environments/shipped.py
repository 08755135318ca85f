"""The environments that come with AutoSim, which Gymnasium makes by their names."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial, wraps
from pathlib import Path
from typing import Any, cast

from autosim.config.descriptions import RobotDescription, WorldDescription
from autosim.engine.physics.spawn_poses import spawn_poses
from autosim.environments.driving import DrivingEnv, resolve_world_argument
from autosim.environments.observations import DeviceValues, GoalPose, LaneView
from autosim.environments.tasks import FollowFrom, FollowLane, FollowTrack, Park
from autosim.environments.terminations import (
    Arrived,
    Collided,
    OffLane,
    Stalled,
    Termination,
    WrongWay,
)
from autosim.environments.traffic_endings import (
    HitPerson,
    HitVehicle,
    NearestRoadUsers,
    OffRoad,
    RanRed,
    ScenarioFailed,
    ScenarioPassed,
)
from autosim.kinds.sensors.ranging.lidar_device import LidarSensor
from autosim.loading.world_writer import with_scenario, with_traffic
from autosim.tracks.cone_track import Cone, is_cone, track_between
from autosim.traffic.scenarios.scenario_file import load_scenario
from autosim.traffic.scenarios.scenario_starts import with_start_poses
from autosim.world.pipeline.cache import compile_world

TOWN, TRACK = "worlds/circle_town.xml", "worlds/cone_track.xml"
MOTORWAY = "worlds/highway_merge.xml"

_LIDAR_RANGE = 40.0
"""[m] that count as 1 in what the lidar measures: as far as a car brakes from 70 km/h."""

_PART, _LIDAR, _LIDAR_HEIGHT = "chassis", "flat_lidar", 0.85
"""The part of the shipped cars that carries a lidar, its name, and its height [m] in that part's
frame: on the roof."""

_FREE_PLACES = ((0.0, -60.0, 0.0), (0.0, -74.0, 0.0), (0.0, -46.0, 0.0), (0.0, -32.0, 0.0))
"""x, y [m] and yaw [rad] of places in the shipped town to park at, one for each agent."""

World = str | Path | WorldDescription | None
"""A world file, or what `load_world` made of one; None: the shipped one, or that of a server."""

Made = Any
"""An environment: `DrivingEnv`, or what another `Make` makes."""

Make = Callable[..., Made]
"""Makes an environment of a world and options: `DrivingEnv` with one car."""


def _reopenable(maker: Make) -> Make:
    """A maker whose environments open other worlds with the same options."""

    @wraps(maker)
    def made(world: World = None, *, make: Make = DrivingEnv, **options: object) -> Made:
        if make is DrivingEnv and "address" not in options:
            others = {name: each for name, each in options.items() if name != "compiled"}
            again: Make = partial(cast(Make, made), **others)
            options = {"reopen": again, **options}
        return maker(world, make=make, **options)

    return made


@_reopenable
def lane_keeping(world: World = None, make: Make = DrivingEnv, **options: object) -> Made:
    """To follow a lane, seen as it lies ahead. `options` are those of what makes it."""
    return make(_opened(world, TOWN, options), **options)


@_reopenable
def town(
    world: World = None,
    rays: int = 240,
    lidar: str | None = None,
    make: Make = DrivingEnv,
    **options: object,
) -> Made:
    """To follow a route of 2 km through a town, seen with a flat lidar of `rays`, too.

    The lidar is put onto the car; or `lidar` names one that it has, as a car in a server must.
    """
    described = _opened(world, TOWN, options)
    device = lidar or f"{_PART}.{_LIDAR}"
    given: dict[str, object] = {
        "task": FollowLane(length=2000.0),
        "observations": (LaneView(), DeviceValues(device, _LIDAR_RANGE, 0.0, missing=0.0)),
    }
    if lidar is None and "address" not in options:
        given["robot"] = with_lidar(described.robots[0].robot, rays)
    return make(described, **(given | options))


TRAFFIC_ENDINGS: tuple[Termination, ...] = (
    HitPerson(),
    HitVehicle(),
    RanRed(),
    OffLane(),
    Collided(),
    WrongWay(),
    Stalled(60.0),
    Arrived(),
)
"""Of an episode in traffic: the car may wait for a minute."""


@_reopenable
def traffic(
    world: World = None,
    vehicles: int = 16,
    people: int = 12,
    length: float = 400.0,
    make: Make = DrivingEnv,
    **options: object,
) -> Made:
    """To drive a route of `length` [m] among vehicles, people and signals, to its end."""
    described = _opened(world, TOWN, options)
    if "address" not in options:
        described = with_traffic(described, vehicles=vehicles, people=people)
    given: dict[str, object] = {
        "task": FollowLane(length=length, endings=TRAFFIC_ENDINGS),
        "observations": (LaneView(), NearestRoadUsers()),
    }
    return make(described, **(given | options))


@_reopenable
def junction(world: World = None, make: Make = DrivingEnv, **options: Any) -> Made:
    """To drive a short route through a junction or two, with much traffic."""
    return traffic(world, make=make, **({"vehicles": 24, "length": 150.0} | options))


@_reopenable
def crossing(world: World = None, make: Make = DrivingEnv, **options: Any) -> Made:
    """To drive a route on which many people cross the street."""
    return traffic(world, make=make, **({"vehicles": 4, "people": 60, "length": 250.0} | options))


@_reopenable
def merge(
    world: World = None, vehicles: int = 40, make: Make = DrivingEnv, **options: object
) -> Made:
    """To join the traffic of a motorway from a ramp."""
    described = _opened(world, MOTORWAY, options)
    if "address" not in options:
        described = with_traffic(described, vehicles=vehicles, people=0)
    endings: tuple[Termination, ...] = (OffRoad(), *TRAFFIC_ENDINGS)
    given: dict[str, object] = {
        "task": FollowLane(16, 800.0, kind="motorway_link", share=0.2, endings=endings),
        "observations": (LaneView(), NearestRoadUsers()),
    }
    return make(described, **(given | options))


@_reopenable
def scenario(
    world: World = None,
    scenario: str | Path = "scenarios/jay_walker.xml",
    length: float = 600.0,
    make: Make = DrivingEnv,
    **options: object,
) -> Made:
    """To pass a scenario, a file `.xml` or `.xosc`, from where it has the first robot begin.

    Raises:
        ConfigError: the file has faults.
        PathError: there is no such file.
        PlacementError: the world has no room for its robots.
        UserError: an actor of the scenario is not in the world.
    """
    described = with_scenario(_opened(world, TOWN, options), load_scenario(scenario))
    compiled = compile_world(described.terrain)
    robots = with_start_poses(described, compiled).robots
    begin = spawn_poses(robots, compiled, rest_heights=[0.0] * len(robots))[0]
    x, y, _ = begin.position.tolist()
    endings: tuple[Termination, ...] = (ScenarioPassed(), ScenarioFailed(), *TRAFFIC_ENDINGS)
    given: dict[str, object] = {
        "task": FollowFrom((x, y), begin.yaw, length, endings=endings),
        "observations": (LaneView(), NearestRoadUsers()),
        "compiled": compiled,
    }
    return make(described, **(given | options))


def _opened(world: World, default: str, options: Mapping[str, object]) -> WorldDescription:
    """The world that is meant: that of a server, where its address is among the options."""
    address = options.get("address")
    if address is not None and not isinstance(address, str):
        raise TypeError(f"the address of a server is a text, not {address!r}")
    return resolve_world_argument(world or (None if address else default), address)


def with_lidar(robot: RobotDescription, rays: int) -> RobotDescription:
    """A robot with a flat lidar of `rays` all around, ten times a second."""
    height = (0.0, 0.0, _LIDAR_HEIGHT)
    lidar = LidarSensor(
        *(_LIDAR, _PART),
        position=height,
        channels=1,
        min_elevation=0.0,
        max_elevation=0.0,
        columns=rays,
        range=_LIDAR_RANGE,
    )
    return replace(robot, devices=(*robot.devices, lidar))


def parking(world: World = None, make: Make = DrivingEnv, **options: object) -> Made:
    """To stop at a place on a street, facing across it; room for four agents."""
    first, *others = _FREE_PLACES
    given: dict[str, object] = {
        "task": Park(first, others=others),
        "observations": (GoalPose(), LaneView()),
    }
    return make(_opened(world, TOWN, options), **(given | options))


@_reopenable
def race(world: World = None, make: Make = DrivingEnv, **options: object) -> Made:
    """To drive two laps between cones as fast as possible.

    The cones are fixed, since an episode ends with the first one that the car hits; and the car
    drives without the lidar of the shipped file, which no observation reads. In a server, cones and
    car are the server's.
    """
    described = _opened(world, TRACK, options)
    cones = (Cone(each.name, *each.position[:2]) for each in described.objects)
    track = track_between(each for each in cones if is_cone(each.name))
    if track is None:
        raise ValueError(f"world '{described.name}' has no track of cones")
    half = float(min(track.left.min(), track.right.min()))
    given: dict[str, object] = {"task": FollowTrack(track.centre.points, half)}
    if "address" not in options:
        described = _with_fixed_cones(described)
        if "observations" not in options and described.robots:
            given["robot"] = _without_lidars(described.robots[0].robot)
    return make(described, **(given | options))


def _with_fixed_cones(world: WorldDescription) -> WorldDescription:
    objects = (
        replace(each, body=replace(each.body, motion="static")) if is_cone(each.name) else each
        for each in world.objects
    )
    return replace(world, objects=tuple(objects))


def _without_lidars(robot: RobotDescription) -> RobotDescription:
    devices = (each for each in robot.devices if not isinstance(each, LidarSensor))
    return replace(robot, devices=tuple(devices))
