"""Drives one robot with wheels on level ground, by commands of steering and acceleration.

An acceleration is converted to shares of motor and brake by their combined effect on the whole
robot's mass, without feedback: drag, rolling resistance and slip take their part.
"""

from dataclasses import replace
from math import ceil
from pathlib import Path

import numpy as np

from autosim import portable
from autosim.arrays import Floats
from autosim.config.descriptions import (
    MapSetup,
    PlacedRobot,
    RobotDescription,
    TerrainDescription,
    WorldDescription,
)
from autosim.config.world_settings import GraphicsDescription, PhysicsDescription
from autosim.engine.step.simulation import Simulation
from autosim.errors import UserError
from autosim.model.commands import command_for
from autosim.model.tree import WORD
from autosim.vehicle.commands.wheel_commands import BASE_SPEED
from autosim.vehicle.info.vehicle_info import VehicleInfo, vehicle_info
from autosim.vehicle.kinematic.motion_equations import NEUTRAL, NONE, PARK, REVERSE
from autosim.vehicle.runs.drive_inputs import DriveInputs
from autosim.vehicle.runs.drive_results import COLUMNS, DriveResult
from autosim.world.compiled.compiled_world import CompiledWorld
from autosim.world.compiled.tile_grid import sort_into_tiles
from autosim.world.geometry.meshes import Mesh, Surface
from autosim.world.lanes.roads import RoadNetwork

FINEST = 1.0 / 240.0
"""Length [s] of the physics' steps at most, that of worlds by default."""

RESPONSE = 0.5
"""Time [s] in which a velocity that is commanded is aimed at."""

_ROOM = 200.0
"""Half the side [m] of the smallest plane."""

_TOP_SPEED = 100.0
"""[m/s]: no robot gets further in the time."""

_NAME = "vehicle"


def drive_robot(
    robot: RobotDescription, inputs: DriveInputs, *, step_seconds: float, steps: int
) -> DriveResult:
    """The motion of a robot's rear axle, from rest at the origin.

    Args:
        robot: with a DriveActuator and wheels.
        inputs: a steering angle, and an acceleration along the robot or a velocity.
        step_seconds: length of a step [s] between two rows.
        steps: how many.

    Raises:
        UserError: the robot has no wheels, or the inputs lack what it is commanded.
    """
    try:
        vehicle = vehicle_info(robot)
    except ValueError as error:
        raise UserError(str(error)) from error
    for name in ("steering_rate", "brake"):
        if inputs.has(name):
            raise UserError(f"a robot with wheels takes no '{name}': steering and acceleration")
    parts = ceil(step_seconds / FINEST - 1e-9)
    world = _world(robot, step_seconds / parts, vehicle)
    plane = level_ground(_ROOM + _TOP_SPEED * step_seconds * steps)
    table = np.zeros((steps + 1, len(COLUMNS)))
    table[:, 0] = step_seconds * np.arange(steps + 1)
    with Simulation(world, compiled=plane, report=lambda notice: None) as simulation:
        driver = _Driver(simulation, vehicle, inputs, table[:, 0])
        for step in range(steps):
            for _ in range(parts):
                driver.command(step)
                simulation.step()
            table[step + 1, 1:6] = driver.motion()
    table[1:, 6] = np.diff(table[:, 4]) / step_seconds
    return DriveResult(table)


class _Driver:
    """Commands a robot, and looks where it is."""

    def __init__(
        self, simulation: Simulation, vehicle: VehicleInfo, inputs: DriveInputs, times: Floats
    ) -> None:
        self._simulation, self._vehicle = simulation, vehicle
        part = simulation.tree.find(f"{_NAME}.{vehicle.part}")
        assert part is not None
        self._words = slice(part.start // WORD, part.start // WORD + 13)
        self._actuator = f"{part.name}.{vehicle.actuator}"
        self._steering = inputs.at(times, "steering")
        self._gears = inputs.at(times, "gear")
        self._aims_at_speed = not inputs.has("acceleration")
        name = "velocity" if self._aims_at_speed else "acceleration"
        self._wanted = inputs.at(times, name)
        self._yaw = 0.0

    def command(self, step: int) -> None:
        """Sets steering, motor, brakes and gear for the next step of the physics."""
        speed = self.motion()[3]
        wanted = float(self._wanted[step])
        if self._aims_at_speed:
            wanted = (wanted - speed) / RESPONSE
        gear = float(self._gears[step])
        values = [float(self._steering[step]), *_pedals(self._vehicle, gear, speed, wanted)]
        command = command_for(self._simulation.tree, self._actuator, values)
        self._simulation.queue([command])

    def motion(self) -> tuple[float, float, float, float, float]:
        """Place x, y [m] of the rear axle, yaw [rad], velocity [m/s], steering angle [rad]."""
        values = self._simulation.state.floats[self._words]
        x, y, z, w = values[3:7].tolist()
        yaw = float(portable.arctan2(2.0 * (w * z + x * y), 1.0 - 2.0 * (y * y + z * z)))
        self._yaw += float(portable.wrapped(yaw - self._yaw))
        c, s = float(portable.cos(yaw)), float(portable.sin(yaw))
        back = self._vehicle.rear_axle
        speed = c * values[7] + s * values[8]
        # The rear axle began at the origin, so that the part began ahead of it.
        return (
            float(values[0] + back * c),
            float(values[1] + back * s),
            self._yaw,
            float(speed),
            self._steered(),
        )

    def _steered(self) -> float:
        node = self._simulation.tree.find(self._actuator)
        assert node is not None
        most = self._vehicle.max_steering_angle
        return float(np.clip(self._simulation.state.floats[node.start // WORD], -most, most))


def _pedals(vehicle: VehicleInfo, gear: float, speed: float, wanted: float) -> list[float]:
    """Shares of motor, brake and hand brake, and the gear, for an acceleration [m/s²].

    The motor has its full force up to `BASE_SPEED`, beyond it its full power. Against the gear, or
    where the robot still moves against it, the brakes act.
    """
    if gear == PARK:
        return [0.0, 1.0, 1.0, 0.0]
    sense = -1.0 if gear == REVERSE else 1.0
    along = sense * wanted
    is_free = gear in (NONE, NEUTRAL)
    if along < 0.0:
        stops = min(-along / max(vehicle.deceleration, 1e-9), 1.0)
        return [0.0, stops, 0.0, 0.0 if is_free else sense]
    if is_free:
        return [0.0, 0.0, 0.0, 0.0]
    most = vehicle.acceleration * min(1.0, BASE_SPEED / max(abs(speed), BASE_SPEED))
    return [min(along / max(most, 1e-9), 1.0), 0.0, 0.0, sense]


def _world(robot: RobotDescription, step_seconds: float, vehicle: VehicleInfo) -> WorldDescription:
    placed = PlacedRobot(
        _NAME,
        replace(robot, publications=()),
        position=(-vehicle.rear_axle, 0.0, None),
        yaw=0.0,
    )
    return WorldDescription(
        name="level ground",
        source=Path("level.xml"),
        graphics=GraphicsDescription(),
        physics=PhysicsDescription(step_seconds=step_seconds),
        terrain=TerrainDescription(Path("level.osm"), MapSetup("level")),
        robots=(placed,),
    )


def level_ground(reach: float) -> CompiledWorld:
    """A plane of asphalt at the height 0, from -`reach` to `reach` [m] along both axes."""
    corners = reach * np.array([[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]])
    ground = Mesh(
        np.column_stack([corners, np.zeros(4)]),
        np.array([[0, 1, 2], [0, 2, 3]], dtype=np.int32),
        np.full(2, Surface.CARRIAGEWAY, dtype=np.uint8),
    )
    nothing = Mesh(np.zeros((0, 3)), np.zeros((0, 3), np.int32), np.zeros(0, np.uint8))
    world = CompiledWorld(
        name="level ground",
        digest="level",
        origin=(0.0, 0.0),
        bounds=(-reach, -reach, reach, reach),
        driving_side="right",
        ground=ground,
        buildings=nothing,
        houses=(),
        roads=RoadNetwork.from_lanes([]),
        invariants=(),
        left_out=(),
        attribution="",
    )
    return sort_into_tiles(world)
