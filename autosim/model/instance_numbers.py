"""The numbers by which label pictures tell robots and objects apart."""

from autosim.model.tree import SimulationTree

_FIRST_ROBOT = 1
"""Number of the first robot: 0 is for what has none."""

FIRST_VEHICLE, FIRST_PERSON = 2**14, 2**14 + 2**13
"""Numbers of the first vehicle and the first person of traffic, by their places in the pool."""

_FIRST_OBJECT = 2**15
"""Number of the first object: far enough on that a robot more changes none of them."""

FIRST_STANDING = 2**16
"""Number of the first of what stands in the world; robots and objects have smaller ones."""


def instance_numbers(tree: SimulationTree) -> dict[str, int]:
    """The numbers of all robots and objects, by their names, each sort in the order of the tree."""
    robots = [node.name for node in tree.robots]
    objects = [node.name for node in tree.children if node.name in tree.objects]
    return {
        **{name: number for number, name in enumerate(robots, start=_FIRST_ROBOT)},
        **{name: number for number, name in enumerate(objects, start=_FIRST_OBJECT)},
    }
