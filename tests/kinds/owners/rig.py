"""Robots without a physics engine whose motion a test says, and the owners of what they believe."""

from dataclasses import dataclass

import numpy as np
from scipy.stats import chi2

from autosim.config.descriptions import Device, RobotDescription
from autosim.estimation.consistency import error_of, normalized_error_squared
from autosim.kinds.banks import BankContext, MountedDevice
from autosim.kinds.bodies import box
from autosim.kinds.kind import kind_of
from autosim.kinds.robot import robot_node
from autosim.model.belief import (
    TRUTH_WORDS,
    StateEstimate,
    make_estimate,
    register_state,
    state_words,
)
from autosim.model.bodies import BodyStates
from autosim.model.state import State, time_after
from autosim.model.tree import WORD, SimulationTree, TreeNode
from autosim.world.geometry.map_projection import MapProjection

ORIGIN = (52.0, 13.0)


def band(errors: int, runs: int) -> tuple[float, float]:
    """In which the mean of the normalised errors squared of so many runs lies in 95 % of cases."""
    low, high = chi2.ppf([0.025, 0.975], errors * runs) / runs
    return float(low), float(high)


@dataclass
class Fleet:
    """Robots r0, r1, … of one box, each with an owner of its belief, and other devices."""

    state: State
    bank: object
    devices: dict[type[Device], list[MountedDevice]]
    context: BankContext

    @classmethod
    def of(
        cls,
        owner: Device,
        *others: Device,
        robots: int,
        seed: int = 0,
        step_seconds: float = 0.01,
        description: RobotDescription | None = None,
    ) -> "Fleet":
        tree = SimulationTree()
        devices: dict[type[Device], list[MountedDevice]] = {}
        for number in range(robots):
            robot = tree.register(robot_node(f"r{number}"))
            if description is not None:
                tree.descriptions[robot.name] = description
            register_state(robot, kind_of(owner).state_access)
            part = robot.register(TreeNode("body", box.KIND.name, box.KIND.fields))
            for device in (*others, owner):
                node = part.register(kind_of(device).node(device.name, device))
                mounted = MountedDevice(node, device, number)
                devices.setdefault(type(device), []).append(mounted)
        context = BankContext(step_seconds, seed, MapProjection(ORIGIN))
        state = State(tree.lay_out())
        bank = kind_of(owner).make_bank(devices[type(owner)], context)
        return cls(state, bank, devices, context)

    def __len__(self) -> int:
        return sum(robot.kind == "Robot" for robot in self.state.tree.children)

    def step_to(self, step: int, truth: StateEstimate) -> None:
        """Lets all robots really move so, and believe what they will."""
        self.state.ints[0] = step
        self.state.ints[1] = time_after(step, self.context.step_seconds)
        self.set_truth(truth.words()[:TRUTH_WORDS])
        self.bank.estimate(BodyStates(0), self.state)

    def set_field(self, kind: type[Device], name: str, field: str, values: np.ndarray) -> None:
        """Writes a field of the device of that name of each robot."""
        nodes = [each.node for each in self.devices[kind] if each.device.name == name]
        self.state.floats[[node.field_offset(field) // WORD for node in nodes]] = values

    def set_truth(self, words: np.ndarray) -> None:
        """Writes the words of a true state, or of one for each robot, into those of all robots."""
        starts = [self._node(robot, "state_truth").start // WORD for robot in range(len(self))]
        self.state.floats[np.add.outer(starts, np.arange(TRUTH_WORDS))] = words

    def belief(self, robot: int) -> StateEstimate:
        words = state_words(self.state.floats, self._node(robot, "state"))
        return StateEstimate.of(words, self.state.time)

    def truth(self, robot: int) -> StateEstimate:
        words = state_words(self.state.floats, self._node(robot, "state_truth"))
        return StateEstimate.of(words, self.state.time)

    def errors(self) -> np.ndarray:
        """Of what each robot believes (robots, 9)."""
        pairs = ((self.belief(k), self.truth(k)) for k in range(len(self)))
        return np.array([error_of(belief, truth) for belief, truth in pairs])

    def consistency(self, errors: slice = slice(0, 9)) -> float:
        """The mean of the normalised error squared over all robots."""
        squares = [
            normalized_error_squared(error[errors], self.belief(k).covariance[errors, errors])
            for k, error in enumerate(self.errors())
        ]
        return float(np.mean(squares))

    def _node(self, robot: int, name: str) -> TreeNode:
        node = self.state.tree.find(f"r{robot}.{name}")
        assert node is not None
        return node


def moving(step: int, step_seconds: float = 0.01) -> StateEstimate:
    """A truth that changes: a circle that is driven with 10 m/s, banked a little."""
    time = step * step_seconds
    angle = 0.2 * time
    turned = np.array([0.1 * np.sin(angle / 2), 0.0, np.sin(angle / 2), np.cos(angle / 2)])
    return make_estimate(
        time,
        position=(50 * np.sin(angle), 50 - 50 * np.cos(angle), 1.0),
        orientation=turned,
        velocity=(10 * np.cos(angle), 10 * np.sin(angle), 0.0),
        angular_velocity=(0.0, 0.0, 0.2),
    )
