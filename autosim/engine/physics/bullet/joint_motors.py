"""The joints of all multibodies in PyBullet: where they are, and what holds them at a speed."""

from collections.abc import Iterable

from autosim.arrays import Floats
from autosim.engine.physics.bullet.suppress_stderr import suppress_stderr

with suppress_stderr():
    import pybullet


class JointMotors:
    """The joints of an engine, numbered in the order in which they are added.

    Args:
        client: PyBullet's.
    """

    def __init__(self, client: int) -> None:
        self._client = client
        # Of each joint: PyBullet's numbers of its multibody and of its link, None without freedom.
        self._places: list[tuple[int, int] | None] = []
        self._free: list[Group] = []

    def add(self, multibody: int, link: int, *, is_free: bool) -> None:
        """Takes the joint that comes next: that of a link of a multibody."""
        self._places.append((multibody, link) if is_free else None)
        rows = ((*place, joint) for joint, place in enumerate(self._places) if place)
        self._free = by_multibody(rows)

    def place(self, joint: int, *, position: float, velocity: float) -> None:
        """As `PhysicsEngine.place_joint`."""
        place = self._places[joint]
        if place:
            pybullet.resetJointState(*place, position, velocity, self._client)

    def hold_speeds(self, speeds: Floats, forces: Floats) -> None:
        """As `PhysicsEngine.hold_speeds`."""
        wanted, most = speeds.tolist(), forces.tolist()
        for multibody, joints, links in self._free:
            held = [row for row, joint in enumerate(joints) if most[joint] > 0.0]
            if held:
                pybullet.setJointMotorControlArray(
                    multibody,
                    [links[row] for row in held],
                    pybullet.VELOCITY_CONTROL,
                    targetVelocities=[wanted[joints[row]] for row in held],
                    forces=[most[joints[row]] for row in held],
                    physicsClientId=self._client,
                )

    def read(self, positions: Floats, velocities: Floats, forces: Floats) -> None:
        """As `PhysicsEngine.read_joints`."""
        positions[:], velocities[:], forces[:] = 0.0, 0.0, 0.0
        for multibody, joints, links in self._free:
            states = pybullet.getJointStates(multibody, links, self._client)
            for number, state in zip(joints, states, strict=True):
                positions[number], velocities[number], _, forces[number] = state


Group = tuple[int, list[int], list[int]]
"""A multibody, with numbers of its bodies or joints and the links that these are."""


def by_multibody(rows: Iterable[tuple[int, int, int]]) -> list[Group]:
    """Sorts `rows` of a multibody, a link and the number of what that link is."""
    found: dict[int, tuple[list[int], list[int]]] = {}
    for multibody, link, number in rows:
        numbers, links = found.setdefault(multibody, ([], []))
        numbers.append(number)
        links.append(link)
    return [(multibody, *both) for multibody, both in found.items()]
