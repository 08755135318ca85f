"""Driving by hand: a person takes part in the step as a user program does.

So one person or program drives a robot at a time; and when the person's process ends, in whatever
way, or says nothing for the server's deadline, the robot brakes.
"""

from collections.abc import Callable
from dataclasses import dataclass

from autosim.applications.driving.driver_input import (
    HALT,
    Controls,
    Steering,
    actuator_values,
    forward_speed,
)
from autosim.applications.driving.ownership import Ownership
from autosim.client.link.participation import Participation
from autosim.errors import UserError
from autosim.simulation.tree import Node, SimulationTree
from autosim.userprogram.session.session import Session

PERIOD = 0.05
"""Simulated time [s] from one look at the controls to the next."""

Show = Callable[[float, tuple[float, float, float]], None]
"""Shows the speed forwards [m/s] and the values of the actuator."""


@dataclass(frozen=True, slots=True)
class Trip:
    """Who drives what: the driver's `name` in messages; the robot's `actuator` and `steering`.

    `takes_over`: whether a program that drives the robot is ended for the person.
    """

    name: str
    actuator: Node
    steering: Steering
    takes_over: bool = False

    @property
    def robot(self) -> str:
        """The robot's name."""
        return self.actuator.name.split(".", 1)[0]


def drive_by_hand(
    participation: Participation,
    controls: Controls,
    trip: Trip,
    *,
    ownership: Ownership,
    show: Show = lambda speed, values: None,
) -> None:
    """Drives until the driver has had enough, and gives back what was taken over.

    Raises:
        DeviceError: the robot is driven by a program, and the person does not take it over.
        ClientError: the server refuses to have it taken over, or does not answer.
        ProgramStopped: the simulation has ended, or has let go of the driver.
    """
    try:
        with participation:
            if trip.takes_over:
                ownership.take_over()
            session = participation.attach(program=trip.name, robot=trip.robot)
            _drive(session, controls, trip, show)
            if not ownership.taken:
                halt = actuator_values(HALT, speed=0.0, steering=trip.steering)
                session.set_data(trip.actuator.name, halt)
                session.finish()
    finally:
        ownership.give_back()


def _drive(session: Session, controls: Controls, trip: Trip, show: Show) -> None:
    part = trip.actuator.parent
    assert part is not None
    while True:
        speed = forward_speed(*(session.field(part, each) for each in ("orientation", "velocity")))
        wish = controls.read(speed=speed, seconds=PERIOD)
        if controls.is_over:
            return
        values = actuator_values(wish, speed=speed, steering=trip.steering)
        session.set_data(trip.actuator.name, values)
        show(speed, values)
        session.wait(PERIOD)


def find_actuator(tree: SimulationTree, robot: str) -> Node:
    """The first drive actuator of a robot.

    Raises:
        UserError: it has none.
    """
    node = tree.find(robot)
    assert node is not None
    for each in node.walk():
        if each.kind == "DriveActuator":
            return each
    raise UserError(f"robot '{robot}' has no DriveActuator: it cannot be driven")
