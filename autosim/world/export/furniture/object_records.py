"""Records of a world's objects as map formats describe them: a type, a place, sizes, outlines."""

from dataclasses import dataclass

from autosim.arrays import Floats


@dataclass(frozen=True, slots=True)
class MapObject:
    """An object at a place of a world, with types of ASAM OpenDRIVE 1.7.

    Attributes:
        type: such as `building` or `pole`.
        subtype: such as `streetLamp`; "" for none.
        name: further description.
        position: (3,) [m] in W, the middle of its underside.
        yaw: direction of its length [rad].
        size: length, width and height [m].
        radius: of a round object [m]; 0: the length and width count.
        outlines: rings (n, 2) [m] in W, counter-clockwise and without the first point repeated;
            () where the sizes are all.
    """

    type: str
    subtype: str
    name: str
    position: tuple[float, float, float]
    yaw: float
    size: tuple[float, float, float]
    radius: float = 0.0
    outlines: tuple[Floats, ...] = ()
