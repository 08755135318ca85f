"""Collision filters of PyBullet: which bodies meet."""

from autosim.engine.physics.bullet.suppress_stderr import suppress_stderr

with suppress_stderr():
    import pybullet

_STATIC, _WATER, _FLOATING = 2, 64, 128
"""Numbers of groups: Bullet's of bodies that forces do not move, and two that it does not use."""


def filter_as_static(body: int, link: int, client: int) -> None:
    """Makes a body meet no immovable one, as Bullet does with bodies without mass."""
    _put(body, link, _STATIC, ~_STATIC, client)


def filter_as_water(body: int, link: int, client: int) -> None:
    """Makes floating bodies pass through a body."""
    _put(body, link, _WATER, ~(_STATIC | _WATER | _FLOATING), client)


def filter_as_floating(body: int, link: int, client: int) -> None:
    """Makes a body pass through water."""
    _put(body, link, _FLOATING, ~_WATER, client)


def _put(body: int, link: int, group: int, others: int, client: int) -> None:
    """Puts a body into a group. Two meet where one of both has the other's among `others`."""
    pybullet.setCollisionFilterGroupMask(body, link, group, others, physicsClientId=client)
