"""Random serpentines on steep slopes, with side streets, short cuts and bridges."""

import math
from pathlib import Path
from random import Random

import numpy as np
from PIL import Image

from autosim.config.diagnostics import Diagnostics
from autosim.world.compiled.compiled_world import CompiledWorld
from autosim.world.pipeline.world_pipeline import build_world
from tests.world.maps import Point, Way, write_map
from tests.world.networks import SETUP

_CLASSES = ("secondary", "tertiary", "residential", "unclassified", "service")
_SIDE_STREETS = ("service", "residential", "track", "unclassified")
_HEIGHT = 300.0


def build_serpentine(folder: Path, seed: int) -> CompiledWorld:
    """Compiles a serpentine with files in a folder; the same one for the same seed."""
    random = Random(seed)
    slope = random.choice((0.1, 0.2, 0.3, 0.4))
    tags = {"highway": random.choice(_CLASSES)}
    line = _serpentine(random)
    osm = write_map(folder, _ways(random, line, tags))
    bump, wave = random.uniform(0.0, 3.0), random.uniform(40.0, 120.0)
    along = np.arange(-500.0, 501.0, SETUP.height_data_per_area)
    x, y = np.meshgrid(along, -along)
    bumps = np.sin(x * math.tau / wave) * np.cos(0.8 * y * math.tau / wave)
    heights = (_HEIGHT + slope * y + bump * bumps) * SETUP.height_division_coefficient
    picture = folder / "slope.tiff"
    Image.fromarray(heights.astype(np.float32)).save(picture)
    return build_world(
        osm,
        setup=SETUP,
        height_map=picture,
        driving_side="right",
        diagnostics=Diagnostics(),
        processes=1,
    )


def _serpentine(random: Random) -> list[Point]:
    """A line of arms from west to east and back, joined by half circles, up the slope."""
    arms, length = random.randint(3, 6), random.choice((50.0, 90.0, 140.0))
    gap, pieces = random.choice((14.0, 18.0, 24.0, 32.0)), random.choice((3, 5, 7))
    climb = random.uniform(0.0, 0.35) * gap
    y = -0.5 * gap * arms
    points: list[Point] = []
    for k in range(arms):
        x = -0.5 * length if k % 2 == 0 else 0.5 * length
        arm = [
            (x * (1.0 - t / 2.0), y + climb * t / 4.0 + random.uniform(-0.8, 0.8)) for t in range(5)
        ]
        if points:
            (x_before, below), above = points[-1], arm[0][1]
            radius, side = 0.5 * abs(above - below), math.copysign(1.0, x_before)
            turns = np.linspace(-0.5 * math.pi, 0.5 * math.pi, pieces)[1:-1].tolist()
            points += [
                (
                    x_before + side * radius * math.cos(turn),
                    0.5 * (below + above) + radius * math.sin(turn),
                )
                for turn in turns
            ]
        points += arm
        y += gap
    return [(round(a, 2), round(b, 2)) for a, b in points]


def _ways(random: Random, line: list[Point], tags: dict[str, str]) -> list[Way]:
    """The serpentine, cut by a bridge or not, with side streets and a short cut."""
    ways: list[Way] = [(line, tags)]
    for _ in range(random.randint(1, 5)):
        x, y = random.choice(line[2:-2])
        heading, length = random.uniform(0.0, math.tau), random.uniform(15.0, 70.0)
        end = round(x + length * math.cos(heading), 2), round(y + length * math.sin(heading), 2)
        ways.append((((x, y), end), {"highway": random.choice(_SIDE_STREETS)}))
    if random.random() < 0.4:
        first = random.randrange(1, len(line) - 8)
        last = first + random.randint(4, 6)
        ways.append(((line[first], line[last]), {"highway": "service"}))
    if random.random() < 0.25:
        k = random.randrange(3, len(line) - 4)
        ways[0] = line[: k + 1], tags
        ways.append((line[k : k + 2], tags | {"bridge": "yes", "layer": "1"}))
        ways.append((line[k + 1 :], tags))
    x, y = line[0]
    ways.append(((line[0], (x - 60.0, y - 10.0)), tags))
    return ways
