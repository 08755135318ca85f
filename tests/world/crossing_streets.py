"""Streets that lead over each other."""

from tests.world.maps import RESIDENTIAL

UNDER = (((0.0, -150.0), (0.0, 150.0)), RESIDENTIAL)


BRIDGE = {**RESIDENTIAL, "bridge": "yes", "layer": "1"}


def over(tags, half=20.0):
    return [
        (((-150.0, 0.0), (-half, 0.0)), RESIDENTIAL),
        (((-half, 0.0), (half, 0.0)), tags),
        (((half, 0.0), (150.0, 0.0)), RESIDENTIAL),
        UNDER,
    ]
