"""The classes of things that label pictures tell apart.

Names, numbers and colours are those of Cityscapes (Cordts et al., 2016, labelIds); what that set
has no word for has the word of Mapillary Vistas and a number from 34 on.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SemanticClass:
    """One class.

    `number` is its value in label pictures; `colour` (red, green, blue) shows it to people;
    `has_instances`: each object of this class has its own number in instance pictures; `is_robot`:
    a robot file may say that its robot is one.
    """

    number: int
    name: str
    """Name as robot files state it."""
    colour: tuple[int, int, int]
    has_instances: bool = False
    is_robot: bool = False


CLASSES: tuple[SemanticClass, ...] = (
    SemanticClass(0, "unlabeled", (0, 0, 0)),
    SemanticClass(5, "dynamic", (111, 74, 0), has_instances=True, is_robot=True),
    SemanticClass(7, "road", (128, 64, 128)),
    SemanticClass(8, "sidewalk", (244, 35, 232)),
    SemanticClass(10, "rail track", (230, 150, 140)),
    SemanticClass(11, "building", (70, 70, 70), has_instances=True),
    SemanticClass(12, "wall", (102, 102, 156)),
    SemanticClass(13, "fence", (190, 153, 153)),
    SemanticClass(15, "bridge", (150, 100, 100)),
    SemanticClass(17, "pole", (153, 153, 153), has_instances=True),
    SemanticClass(21, "vegetation", (107, 142, 35), has_instances=True),
    SemanticClass(22, "terrain", (152, 251, 152)),
    SemanticClass(23, "sky", (70, 130, 180)),
    SemanticClass(24, "person", (220, 20, 60), has_instances=True, is_robot=True),
    SemanticClass(26, "car", (0, 0, 142), has_instances=True, is_robot=True),
    SemanticClass(27, "truck", (0, 0, 70), has_instances=True, is_robot=True),
    SemanticClass(28, "bus", (0, 60, 100), has_instances=True, is_robot=True),
    SemanticClass(32, "motorcycle", (0, 0, 230), has_instances=True, is_robot=True),
    SemanticClass(33, "bicycle", (119, 11, 32), has_instances=True, is_robot=True),
    SemanticClass(34, "curb", (196, 196, 196)),
    SemanticClass(35, "lane marking", (255, 255, 255)),
    SemanticClass(36, "water", (0, 170, 255)),
    SemanticClass(37, "bench", (250, 0, 30), has_instances=True),
)
"""All classes, by number."""

BY_NAME = {each.name: each for each in CLASSES}
"""The classes by their names."""


def class_number(name: str) -> int:
    """The number of the class called `name`."""
    return BY_NAME[name].number
