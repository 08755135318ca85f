"""Writes a starting point for a kind of device: a plug-in, its test, and a robot that has it."""

import re
from pathlib import Path

from autosim.errors import UserError

_NAME = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")

_MODULE = '''"""{Kind}: pushes its part along a direction with a commanded force."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from autosim.config.descriptions import Device, Vector3
from autosim.config.schema import Interval
from autosim.config.schemas.common import direction, parameter, vector
from autosim.kinds.banks import BankContext, MountedDevice, body_indices, vectors, word_indices
from autosim.kinds.elements import FORWARD, NOISES, ORIGIN, device_element
from autosim.kinds.kind import DeviceKind
from autosim.model.bodies import BodyForces, BodyStates, rotate
from autosim.model.noise import NoiseField
from autosim.model.state import State
from autosim.model.tree import Access, Field


@dataclass(frozen=True, slots=True)
class {Kind}(Device):
    """What a robot file says of one: a field for each child of the element below.

    `position` [m] and `direction` (unit vector) are in B: x forward, y left, z up.
    """

    position: Vector3 = (0.0, 0.0, 0.0)
    direction: Vector3 = (1.0, 0.0, 0.0)
    max_thrust: float = 100.0


class {Kind}Bank:
    """All devices of this kind in a world, as arrays."""

    def __init__(self, devices: Sequence[MountedDevice[{Kind}]], context: BankContext) -> None:
        self._body, self._word = body_indices(devices), word_indices(devices)
        self._position = vectors([mounted.device.position for mounted in devices])
        self._direction = vectors([mounted.device.direction for mounted in devices])
        self._most = np.array([mounted.device.max_thrust for mounted in devices])

    def act(
        self, bodies: BodyStates, state: State, forces: BodyForces, noise: NoiseField
    ) -> None:
        """Pushes the bodies in the coming step, as `set_data` has commanded."""
        rotations = bodies.rotations[self._body]
        share = np.clip(noise(state.floats[self._word]), -1.0, 1.0)
        force = (share * self._most)[:, None] * rotate(rotations, self._direction)
        points = bodies.positions[self._body] + rotate(rotations, self._position)
        forces.add_forces(bodies, self._body, force, points)


KIND = DeviceKind(
    record={Kind},
    element=device_element(
        "{Kind}",
        "Pushes its part along a direction. `set_data` sets the share of MaxThrust, from -1 to 1.",
        vector("Position", "Where it pushes, relative to the part's centre.", default=ORIGIN),
        direction("Direction", "Where it pushes to.", default=FORWARD),
        parameter(
            "MaxThrust",
            "Its greatest force.",
            unit="N",
            default=100.0,
            interval=Interval(0.0, 1e6),
        ),
        *NOISES,
    ),
    fields=(Field("thrust", limits=Interval(-1.0, 1.0), meaning="Share of MaxThrust."),),
    access=Access.DRIVE,
    rest=(0.0,),
    make_bank={Kind}Bank,
)
'''

_TEST = '''"""A robot with a {Kind} moves when its force is commanded."""

from pathlib import Path

import numpy as np

from autosim.loading.loader import load_robot
from autosim.kinds.banks import BankContext, MountedDevice
from autosim.kinds.device_banks import DeviceBanks
from autosim.kinds.kind import kind_of
from autosim.model.bodies import BodyForces, BodyStates
from autosim.model.state import State
from autosim.model.tree import SimulationTree
from autosim.world.geometry.map_projection import MapProjection

HERE = Path(__file__).resolve().parents[1]


def test_it_pushes_as_strongly_as_it_is_told_to():
    robot = load_robot(HERE / "robots" / "{name}.xml", roots=[HERE])
    device = next(each for each in robot.devices if each.name == "{name}")
    kind, tree = kind_of(device), SimulationTree()
    node = tree.register(kind.node(device.name, device))
    state, forces = State(tree.lay_out()), BodyForces(np.zeros((1, 3)))
    context = BankContext(step_seconds=1 / 240, seed=0, projection=MapProjection((0.0, 0.0)))
    banks = DeviceBanks({type(device): [MountedDevice(node, device, 0)]}, context)
    state.floats[node.start // 8] = 0.5
    banks.act(BodyStates(1), state, forces)
    np.testing.assert_allclose(forces.forces, [[25.0, 0.0, 0.0]])
    np.testing.assert_allclose(forces.torques, 0.0)
'''

_ROBOT = """\
<Robot name="{name}">
  <Plugin file="plugins/{name}.py"/>
  <Parts>
    <Box name="hull">
      <Position x="0" y="0.25" z="0"/>
      <Size x="0.6" y="0.5" z="1.0"/>
      <Mass value="10"/>
    </Box>
  </Parts>
  <Devices>
    <{Kind} name="{name}">
      <Part name="hull"/>
      <MaxThrust value="50"/>
    </{Kind}>
  </Devices>
</Robot>
"""

_FILES = {
    "plugins/{name}.py": _MODULE,
    "plugins/test_{name}.py": _TEST,
    "robots/{name}.xml": _ROBOT,
}


def new_device(name: str, folder: Path) -> tuple[Path, ...]:
    """Writes a plug-in with its test and a robot that has it; returns their paths.

    Args:
        name: in small letters, words joined by `_`: `bow_thruster` becomes the kind `BowThruster`.
        folder: of the project: what holds `robots` and `plugins`.

    Raises:
        UserError: another form of name, or one of the files is there already; nothing is written.
    """
    if not _NAME.fullmatch(name):
        raise UserError(
            f"expected a name in small letters, words joined by '_', such as bow_thruster: '{name}'"
        )
    kind = "".join(word.capitalize() for word in name.split("_"))
    texts = {
        folder / path.format(name=name): text.replace("{Kind}", kind).replace("{name}", name)
        for path, text in _FILES.items()
    }
    there = [path for path in texts if path.exists()]
    if there:
        raise UserError(f"there is already a file {there[0]}: nothing is written")
    for path, text in texts.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return tuple(texts)
