"""Driving by hand: a person takes part in the step as a user program does.

So one person or program drives a robot at a time; and when the person's process ends, in whatever
way, or says nothing for the server's deadline, the robot brakes.
"""

from collections.abc import Callable
from dataclasses import dataclass

from autosim.applications.driving.driver_input import (
    HALT,
    DriverInput,
    Steering,
    actuator_values,
    forward_speed,
    steering_of,
)
from autosim.applications.driving.kinematic_commands import KinematicCommands
from autosim.applications.driving.ownership import Ownership
from autosim.client.link.participation import Participation
from autosim.errors import UserError
from autosim.kinds.kinematic.kinematic_vehicle import KinematicVehicle
from autosim.model.tree import SimulationTree, TreeNode
from autosim.userprogram.session.node_records import describe_robot
from autosim.userprogram.session.program_session import Session

PERIOD = 0.05
"""Simulated time [s] from one look at the controls to the next."""

Show = Callable[[float, tuple[float, float, float]], None]
"""Shows the speed forwards [m/s] and the values of the actuator."""


@dataclass(frozen=True, slots=True)
class DrivingSession:
    """Driver and robot: the driver's `name` in messages; the robot's `actuator` and `steering`.

    `takes_over`: whether a program that drives the robot is stopped for the person. Of a kinematic
    vehicle `kinematic` is its model's input, and `gears` is the device that has its gear.
    """

    name: str
    actuator: TreeNode
    steering: Steering
    takes_over: bool = False
    kinematic: KinematicCommands | None = None
    gears: TreeNode | None = None

    @property
    def robot(self) -> str:
        """The robot's name."""
        return self.actuator.name.split(".", 1)[0]


def drive_manually(
    participation: Participation,
    controls: DriverInput,
    trip: DrivingSession,
    *,
    ownership: Ownership,
    show: Show = lambda speed, values: None,
) -> None:
    """Drives until the driver quits, and returns what was taken over.

    Raises:
        DeviceError: the robot is driven by a program, and the person does not take it over.
        ClientError: the server refuses the take-over, or does not answer.
        ProgramStopped: the simulation has ended, or has disconnected the driver.
    """
    try:
        with participation:
            if trip.takes_over:
                ownership.take_over()
            session = participation.attach(program=trip.name, robot=trip.robot)
            _drive(session, controls, trip, show)
            if not ownership.taken:
                _set(session, trip, actuator_values(HALT, speed=0.0, steering=trip.steering), 0.0)
                session.finish()
    finally:
        ownership.give_back()


def _drive(session: Session, controls: DriverInput, trip: DrivingSession, show: Show) -> None:
    part = trip.actuator.parent
    assert part is not None
    while True:
        speed = forward_speed(*(session.field(part, each) for each in ("orientation", "velocity")))
        wish = controls.read(speed=speed, seconds=PERIOD)
        if controls.is_over:
            return
        values = actuator_values(wish, speed=speed, steering=trip.steering)
        _set(session, trip, values, speed)
        show(speed, values)
        session.wait(PERIOD)


def _set(
    session: Session, trip: DrivingSession, values: tuple[float, float, float], speed: float
) -> None:
    """Sets what drives the robot to steering [rad], push and brake, at a speed [m/s]."""
    if trip.kinematic is None:
        session.set_data(trip.actuator.name, values)
        return
    gear = trip.kinematic.gear(values, speed=speed)
    if gear and trip.gears is not None:
        session.set_data(trip.gears.name, (0.0, 0.0, 0.0, gear))
    session.set_data(trip.actuator.name, trip.kinematic.values(values, speed=speed))


def make_trip(
    name: str, tree: SimulationTree, robot: str, *, takes_over: bool = False
) -> DrivingSession:
    """The session of a driver `name` with a robot.

    Raises:
        UserError: it has no drive.
    """
    actuator, described = find_actuator(tree, robot), describe_robot(tree, robot)
    vehicle = next((each for each in described.devices if isinstance(each, KinematicVehicle)), None)
    is_kinematic = actuator.kind == "KinematicVehicle" and vehicle is not None
    node = tree.find(robot)
    return DrivingSession(
        name,
        actuator,
        steering_of(described),
        takes_over,
        KinematicCommands(vehicle) if is_kinematic and vehicle else None,
        _first(node, "VehicleStateCommand") if node else None,
    )


def find_actuator(tree: SimulationTree, robot: str) -> TreeNode:
    """The drive of a robot: its first drive actuator, or its kinematic vehicle.

    Raises:
        UserError: it has neither.
    """
    node = tree.find(robot)
    assert node is not None
    found = drive_of(node)
    if found is None:
        raise UserError(
            f"robot '{robot}' has neither a DriveActuator nor a KinematicVehicle: it cannot be "
            "driven"
        )
    return found


def drive_of(robot: TreeNode) -> TreeNode | None:
    """The drive of a robot: its first drive actuator, its kinematic vehicle, or None."""
    return _first(robot, "DriveActuator") or _first(robot, "KinematicVehicle")


def _first(robot: TreeNode, kind: str) -> TreeNode | None:
    return next((each for each in robot.walk() if each.kind == kind), None)
