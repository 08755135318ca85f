"""Motions of bodies and links, as PyBullet reports them."""

from collections.abc import Iterable, Iterator

from autosim.engine.physics.bullet.joint_motors import Group
from autosim.engine.physics.bullet.multibodies import BASE
from autosim.engine.physics.bullet.suppress_stderr import suppress_stderr
from autosim.model.quaternions import Quaternion

with suppress_stderr():  # it prints when it was built
    import pybullet

_Three = tuple[float, float, float]

Motion = tuple[_Three, Quaternion, _Three, _Three]
"""Of a centre of mass: position [m], orientation, velocity [m/s], rotation [rad/s], all in W."""


def motion_of(body: int, link: int, client: int) -> Motion:
    """Motion of the centre of mass of a body, or of a link of a multibody."""
    if link == BASE:
        pose = pybullet.getBasePositionAndOrientation(body, client)
        return (*pose, *pybullet.getBaseVelocity(body, client))
    # Without forward kinematics PyBullet returns a link's pose of a step ago.
    state = pybullet.getLinkState(body, link, 1, 1, client)
    return (state[0], state[1], state[6], state[7])


def link_motions(groups: Iterable[Group], client: int) -> Iterator[tuple[int, Motion]]:
    """The numbers and the motions of all bodies that are links of multibodies.

    One call reports all links of a multibody: each works out where all of them are.
    """
    for multibody, numbers, links in groups:
        states = pybullet.getLinkStates(multibody, links, 1, 1, client)
        for number, state in zip(numbers, states, strict=True):
            yield number, (state[0], state[1], state[6], state[7])
