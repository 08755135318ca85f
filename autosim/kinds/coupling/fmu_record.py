"""An FMU of a robot as data: its file, its variables, and what each is connected to."""

from dataclasses import dataclass
from pathlib import Path

from autosim.config.descriptions import Device, Vector3

PUSHES = ("force.forward", "force.left", "force.up")
"""Targets of outputs that push the part [N], along its axes."""

TURNS = ("torque.forward", "torque.left", "torque.up")
"""Targets of outputs that turn the part [N m], about its axes."""


@dataclass(frozen=True, slots=True)
class FmuPort:
    """A variable of an FMU, and the value of the robot that it is connected to.

    Attributes:
        variable: its name in the FMU.
        connection: name of the robot's value; "": a value of the device itself, called `name`.
        name: name of that value.
        unit: unit that the FMU states, "1" for none.
        start: value at the start.
        limits: least and greatest value.
    """

    variable: str
    connection: str
    name: str
    unit: str = "1"
    start: float = 0.0
    limits: tuple[float, float] = (-1e7, 1e7)

    @property
    def is_own(self) -> bool:
        """Whether it is a value of the device itself."""
        return not self.connection


@dataclass(frozen=True, slots=True)
class FmuDevice(Device):
    """A co-simulation FMU on its part, stepped with the simulation.

    Attributes:
        file: its name in the robot file.
        path: where the file is; empty in processes that do not run it.
        digest: SHA-256 (hex) of the file.
        position: point [m] in B where its forces act.
        inputs: what is set before each step.
        outputs: what is read after each step.
        parameters: values at the start, by the names of their variables.
    """

    file: str = ""
    path: Path = Path()
    digest: str = ""
    position: Vector3 = (0.0, 0.0, 0.0)
    inputs: tuple[FmuPort, ...] = ()
    outputs: tuple[FmuPort, ...] = ()
    parameters: tuple[tuple[str, float], ...] = ()

    @property
    def own_ports(self) -> tuple[FmuPort, ...]:
        """Ports that are values of the device: inputs, then outputs."""
        return tuple(each for each in (*self.inputs, *self.outputs) if each.is_own)

    @property
    def is_commanded(self) -> bool:
        """Whether commands set values of it."""
        return any(each.is_own for each in self.inputs)
