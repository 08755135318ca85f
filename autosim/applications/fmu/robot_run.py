"""The simulation in an FMU made of a robot."""

import sys
from collections.abc import Mapping, MutableMapping
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from autosim.config.files.lookup import search_roots
from autosim.engine.step.simulation import Simulation
from autosim.errors import UserError
from autosim.kinds.coupling.robot_values import find_value, value_names
from autosim.loading.loader import load_world
from autosim.model.commands import command_for
from autosim.model.notices import Notice
from autosim.model.tree import WORD, Access
from autosim.terminal_text import for_terminal

WORLD_FOLDER = "world"
"""The folder with the files of the world, next to the script of the FMU."""

_TOLERANCE = 1e-6
"""Share of a step by which a communication step may differ from whole steps."""


@dataclass(frozen=True, slots=True)
class ExportedValue:
    """A variable of the FMU, and the value of the robot that it is.

    Attributes:
        name: name in the FMU, such as `chassis.velocity[0]`.
        value: name of the value of the robot, such as `chassis.velocity.0`.
        is_input: whether it is a command.
        start: value at step 0.
        meaning: unit and meaning, for people.
    """

    name: str
    value: str
    is_input: bool
    start: float
    meaning: str


@dataclass(frozen=True, slots=True)
class FmuContent:
    """The content of an FMU made of a robot.

    Attributes:
        name: name of the model.
        guid: identifier of the FMU.
        description: sentence for people.
        world: name of the world file below `world/`.
        robot: name of the robot.
        seed: seed of all noise.
        step: length of a step [s].
        variables: inputs and outputs.
    """

    name: str
    guid: str
    description: str
    world: str
    robot: str
    seed: int
    step: float
    variables: tuple[ExportedValue, ...]

    def as_json(self) -> dict[str, object]:
        """The content as plain values."""
        return asdict(self)


class RobotRun:
    """A simulation of the world of a robot, whose values are read and set by name.

    Args:
        folder: with the files of the FMU.
        content: `FmuContent` as plain values.

    Raises:
        UserError: the world cannot be simulated.
    """

    def __init__(self, folder: Path, content: Mapping[str, object]) -> None:
        own = folder / WORLD_FOLDER
        roots = (own, *search_roots())
        world = load_world(own / str(content["world"]), roots=roots)
        self._simulation = Simulation(world, seed=int(str(content["seed"])), report=_print)
        self._robot = str(content["robot"])
        variables = content["variables"]
        assert isinstance(variables, list)
        self._outputs = {
            each["name"]: self._word(each["value"]) for each in variables if not each["is_input"]
        }
        self._inputs: dict[str, list[str]] = {}
        for each in variables:
            if each["is_input"]:
                device = ".".join(str(each["value"]).split(".")[:2])
                self._inputs.setdefault(f"{self._robot}.{device}", []).append(each["name"])
        self._commands: dict[str, tuple[float, ...]] = {}

    def step(self, seconds: float, values: Mapping[str, float]) -> None:
        """Simulates whole steps; `values` are the inputs by their names.

        Raises:
            UserError: `seconds` are not whole steps.
        """
        simulation = self._simulation
        steps = seconds / simulation.step_seconds
        if round(steps) < 1 or abs(steps - round(steps)) > _TOLERANCE * max(1.0, steps):
            raise UserError(
                f"the communication step of {seconds:g} s is not a multiple of the simulation's "
                f"step of {simulation.step_seconds:g} s"
            )
        for device, names in self._inputs.items():
            command = tuple(values[each] for each in names)
            if command != self._commands.get(device):
                self._commands[device] = command
                simulation.queue([command_for(simulation.tree, device, command)])
        simulation.run(round(steps))

    def read(self, values: MutableMapping[str, float]) -> None:
        """Writes the outputs into `values`, by their names."""
        floats = self._simulation.state.floats
        for name, word in self._outputs.items():
            values[name] = float(floats[word])

    def close(self) -> None:
        """Ends the simulation."""
        self._simulation.close()

    def _word(self, name: str) -> int:
        tree = self._simulation.tree
        value = find_value(tree.descriptions[self._robot], name)
        node = tree.find(f"{self._robot}.{value.node}")
        assert node is not None
        return node.start // WORD + value.offset


def variables_of(
    simulation: Simulation, robot: str, inputs: tuple[str, ...], outputs: tuple[str, ...]
) -> tuple[ExportedValue, ...]:
    """The variables of the FMU of a robot.

    Args:
        simulation: of its world, at step 0.
        robot: its name.
        inputs: devices (`PART.DEVICE`) that are commanded.
        outputs: beginnings of the names of values; none: all values of the robot.

    Raises:
        UserError: there is no such device or value, or it is not an actuator.
    """
    description, floats = simulation.tree.descriptions[robot], simulation.state.floats
    found, named = [], set()
    for name, field, index in value_names(description):
        value = find_value(description, name)
        node = simulation.tree.find(f"{robot}.{value.node}")
        assert node is not None
        is_input = value.node in inputs
        if is_input and node.access is not Access.DRIVE:
            raise UserError(f"'{value.node}' of '{robot}' is not an actuator")
        beginnings = [each for each in outputs if f"{name}.".startswith(f"{each}.")]
        named |= {*beginnings, value.node} if is_input else {*beginnings}
        if not is_input and outputs and not beginnings:
            continue
        shown = name if index is None else f"{name.rpartition('.')[0]}[{index}]"
        unit = "" if field.unit == "1" else f"[{field.unit}] "
        start = float(np.nan_to_num(floats[node.start // WORD + value.offset]))
        found.append(ExportedValue(shown, name, is_input, start, f"{unit}{field.meaning}".strip()))
    if missing := [each for each in (*inputs, *outputs) if each not in named]:
        known = ", ".join(dict.fromkeys(find_value(description, each[0]).node for each in
                          value_names(description)))  # fmt: skip
        raise UserError(f"'{missing[0]}' is not a value of the robot '{robot}', which has {known}")
    return tuple(found)


def _print(notice: Notice) -> None:
    text = for_terminal(f"{notice.source}: {notice.level}: {notice.text}")
    print(text, file=sys.stderr)
