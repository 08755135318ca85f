"""Random underpasses and bridges with another street in nearly the same place."""

from random import Random

from tests.world.maps import Point, Way

_DECKS = (
    {"tunnel": "yes", "layer": "-1"},
    {"bridge": "yes", "layer": "1"},
    {"layer": "-1"},
)


def streets_in_one_place(seed: int) -> list[Way]:
    """A street with a tunnel or a bridge, a crossing street, and one that leads along the first.

    The third one lies 0.3 to 3 m beside the axis of the first up to somewhere on its ramp or deck,
    and leads away or ends there.
    """
    random = Random(seed)
    deck = random.choice(_DECKS)
    half, ramp = random.choice((8.0, 15.0, 30.0, 60.0)), random.choice((15.0, 40.0, 80.0, 140.0))
    highway = random.choice(("primary", "secondary", "residential", "tertiary"))
    bend = random.uniform(-0.001, 0.001)

    def place(x: float, aside: float = 0.0) -> Point:
        return round(x, 2), round(aside + bend * x * x, 2)

    start, end = place(-half - ramp), place(half + ramp)
    tags = {"highway": highway}
    if random.random() < 0.3:
        tags["lanes"] = random.choice(("1", "2", "4"))
    if random.random() < 0.3:
        tags["oneway"] = "yes"
    aside = random.choice((0.3, 0.8, 1.2, 2.0, 3.0)) * random.choice((-1, 1))
    other = {"highway": random.choice((highway, "service", "unclassified"))}
    kind = random.randrange(4)
    last = random.choice((-half, -half * 0.5, 0.0, half, half + ramp))
    line = [place(start[0] + (last - start[0]) * k / 6, aside) for k in range(7)]
    if kind in (0, 2):
        line[0] = start
    if kind in (1, 2):
        line.append(place(last + 20, 30.0))
    if kind == 3:
        line = [place(start[0] - 20, 30.0), *line, place(last + 25, 25.0)]
    return [
        ([start, place(-half)], tags),
        ([place(-half), place(0.0), place(half)], tags | deck),
        ([place(half), end], tags),
        (line, other),
        ([(0.0, -90.0), (0.0, 90.0)], {"highway": "residential"}),
        ([start, place(start[0] - 80)], tags),
        ([end, place(end[0] + 80)], tags),
    ]
