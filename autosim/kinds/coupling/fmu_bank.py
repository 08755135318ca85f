"""Steps the FMUs of all robots with the simulation, each in its own process.

At the beginning of a step each FMU gets its inputs from the state and computes the step in parallel
with the physics and the sensors; at the end its outputs go into the state. So outputs at a time
follow from inputs up to one step before it, and the order of FMUs has no effect (Jacobi scheme).
Forces and torques act from the values at the beginning of the step.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np

from autosim.arrays import Floats, Integers
from autosim.config.descriptions import RobotDescription
from autosim.fmi.fmu import FmuError
from autosim.fmi.fmu_process import FmuOrder, FmuProcess, FmuState
from autosim.kinds.banks import BankContext, MountedDevice, body_indices, vectors
from autosim.kinds.coupling.fmu_record import PUSHES, TURNS, FmuDevice
from autosim.kinds.coupling.robot_values import find_value, value_names
from autosim.model.bodies import BodyForces, BodyStates, rotate
from autosim.model.noise import NoiseField
from autosim.model.notices import Notice
from autosim.model.state import State
from autosim.model.tree import WORD, SimulationTree

_FAILED = FmuState(0.0, b"")
"""State of an FMU that has failed."""


class FmuBank:
    """All FMUs of a world; see the module.

    Raises:
        FmuError: an FMU cannot be started; the message names its device.
    """

    def __init__(self, devices: Sequence[MountedDevice[FmuDevice]], context: BankContext) -> None:
        self._body = body_indices(devices)
        self._position = vectors([mounted.device.position for mounted in devices])
        self._forces, self._torques = np.zeros((len(devices), 3)), np.zeros((len(devices), 3))
        self._units: list[_Unit] = []
        try:
            for row, mounted in enumerate(devices):
                pushes = self._forces[row], self._torques[row]
                self._units.append(_Unit(mounted, context, pushes))
        except FmuError:
            self.close()
            raise

    def act(self, bodies: BodyStates, state: State, forces: BodyForces, noise: NoiseField) -> None:
        """Begins the step of each FMU; pushes and turns the parts by the outputs before it."""
        for each in self._units:
            each.begin(state)
        turn = bodies.rotations[self._body]
        place = bodies.positions[self._body] + rotate(turn, self._position)
        forces.add_forces(bodies, self._body, rotate(turn, self._forces), place)
        forces.add_torques(self._body, rotate(turn, self._torques))

    def estimate(self, bodies: BodyStates, state: State) -> None:
        """Waits for the steps; writes the outputs, after all sensors."""
        for each in self._units:
            each.finish(state)

    def save(self) -> dict[str, FmuState]:
        """The states of the FMUs by the names of their devices, between two steps.

        Raises:
            FmuError: one of them cannot save its state; the message names it.
        """
        return {each.name: each.save() for each in self._units}

    def restore(self, states: Mapping[str, FmuState]) -> None:
        """Continues from states that `save` has returned.

        Raises:
            FmuError: an FMU cannot be started in its state.
        """
        for each in self._units:
            if each.name in states:
                each.restore(states[each.name])

    def close(self) -> None:
        """Ends the FMUs."""
        for each in self._units:
            each.close()


class _Unit:
    """One FMU with the places of its values in the state.

    Args:
        mounted: the device.
        context: the world.
        pushes: (3,) N and (3,) N m along and about the axes of the part, which it writes.
    """

    def __init__(
        self,
        mounted: MountedDevice[FmuDevice],
        context: BankContext,
        pushes: tuple[Floats, Floats],
    ) -> None:
        device = mounted.device
        self.name, self._report = mounted.node.name, context.report
        self._seconds, self._pushes = context.step_seconds, pushes
        self._words = _Words(mounted)
        self._is_begun, self._is_running, self._has_released = False, True, False
        starts = {each.variable: each.start for each in device.inputs} | dict(device.parameters)
        order = FmuOrder(
            device.path,
            tuple(starts.items()),
            tuple(each.variable for each in device.inputs),
            tuple(each.variable for each in device.outputs),
        )
        try:
            self._process = FmuProcess(order)
        except FmuError as error:
            raise FmuError(f"{self.name}: {error}") from error

    def begin(self, state: State) -> None:
        """Begins a step with the present inputs."""
        values = state.floats[self._words.inputs].tolist()
        self._is_begun = self._tried(state, lambda fmu: fmu.begin(values, self._seconds))

    def finish(self, state: State) -> None:
        """Ends the step that was begun, if any; writes the outputs."""
        if self._is_begun:
            self._is_begun = False
            self._tried(state, lambda fmu: fmu.finish())
        if not self._is_running:
            self._write_rest(state)
            return
        outputs = np.array(self._process.outputs)
        words = self._words
        state.floats[words.outputs] = outputs[words.from_outputs]
        if not self._has_released:
            # Once: afterwards, a brake is one that a program has set.
            self._has_released = True
            is_held = state.floats[words.held] == words.held_rests
            state.floats[words.held[is_held]] = words.released[is_held]
        for vector, (axes, places) in zip(self._pushes, words.pushes, strict=True):
            vector[axes] = outputs[places]

    def save(self) -> FmuState:
        """The state of the FMU."""
        if not self._is_running:
            return _FAILED
        try:
            return self._process.save()
        except FmuError as error:
            raise FmuError(f"{self.name}: {error}") from error

    def restore(self, state: FmuState) -> None:
        """Continues from a state, also if the FMU has failed since then."""
        if not state.data:
            self.close()
            return
        self._process.restore(state)
        self._is_running = self._has_released = True

    def close(self) -> None:
        """Ends the FMU."""
        self._process.close()
        self._is_running = False

    def _tried(self, state: State, order: Callable[[FmuProcess], object]) -> bool:
        """Gives the FMU an order; False where it has failed, which is reported."""
        if not self._is_running:
            return False
        try:
            order(self._process)
        except FmuError as error:
            self._is_running = False
            text = f"{error}; from now on it pushes nothing, and what it sets is at rest"
            self._report(Notice("error", self.name, state.step, text))
            return False
        return True

    def _write_rest(self, state: State) -> None:
        words = self._words
        state.floats[words.outputs[words.has_rest]] = words.rests[words.has_rest]
        state.floats[words.held] = words.held_rests
        for vector in self._pushes:
            vector[:] = 0.0


class _Words:
    """Places of the values of an FMU in `State.floats`.

    inputs: (i,) words that its inputs come from; outputs: (o,) words that outputs go to, and
    from_outputs: (o,) which they are; pushes: axes of force and torque, and the outputs for them;
    rests: (o,) values without the FMU, where `has_rest`. held: (h,) words of other numbers of the
    same devices that hold these, such as a brake; held_rests: (h,) the values with which they do,
    and released: (h,) those with which they do not: an FMU that sets some numbers of an actuator
    drives it.
    """

    def __init__(self, mounted: MountedDevice[FmuDevice]) -> None:
        node, device = mounted.node, mounted.device
        tree = node.root
        assert isinstance(tree, SimulationTree)
        robot = node.name.split(".", 1)[0]
        self._tree, self._robot, self._description = tree, robot, tree.descriptions[robot]
        own = {each.name: node.start // WORD + k for k, each in enumerate(device.own_ports)}
        found = [(own[each.name], 0.0) if each.is_own else self._place(each.connection)
                 for each in device.inputs]  # fmt: skip
        self.inputs = _integers([word for word, _ in found])
        self.pushes = _axes(device, PUSHES), _axes(device, TURNS)
        written = [
            (place, *((own[each.name], None) if each.is_own else self._place(each.connection)))
            for place, each in enumerate(device.outputs)
            if each.connection not in (*PUSHES, *TURNS)
        ]
        self.from_outputs = _integers([place for place, _, _ in written])
        self.outputs = _integers([word for _, word, _ in written])
        rests = [rest for _, _, rest in written]
        self.has_rest = np.array([each is not None for each in rests], dtype=np.bool_)
        self.rests = np.array([each or 0.0 for each in rests], dtype=np.float64)
        held = [
            each
            for each in self._held([each.connection for each in device.outputs if not each.is_own])
            if each[0] not in self.outputs
        ]
        self.held = _integers([word for word, _, _ in held])
        self.held_rests = np.array([rest for _, rest, _ in held], dtype=np.float64)
        self.released = np.array([released for _, _, released in held], dtype=np.float64)

    def _held(self, connections: Sequence[str]) -> Iterator[tuple[int, float, float]]:
        """Words of actuators with such numbers that hold these; how they do, and how not."""
        assert isinstance(self._description, RobotDescription)
        names = [each for each in connections if each not in (*PUSHES, *TURNS)]
        nodes = {find_value(self._description, each).node for each in names}
        for name, _, _ in value_names(self._description):
            value = find_value(self._description, name)
            if value.node in nodes and value.rest is not None and value.released is not None:
                yield self._place(name)[0], value.rest, value.released

    def _place(self, name: str) -> tuple[int, float | None]:
        """The word of a value of the robot, and its value at rest."""
        assert isinstance(self._description, RobotDescription)
        value = find_value(self._description, name)
        node = self._tree.find(f"{self._robot}.{value.node}")
        assert node is not None
        return node.start // WORD + value.offset, value.rest


def _axes(device: FmuDevice, names: Sequence[str]) -> tuple[Integers, Integers]:
    """The axes along which outputs act, and the places of these outputs."""
    found = [
        (names.index(each.connection), place)
        for place, each in enumerate(device.outputs)
        if each.connection in names
    ]
    return _integers([axis for axis, _ in found]), _integers([place for _, place in found])


def _integers(numbers: Sequence[int]) -> Integers:
    return np.array(numbers, dtype=np.int64)
