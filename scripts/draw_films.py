"""Draws the moving pictures of docs/films: `make films`.

Each shows a run of the simulation with its own cameras, from a place beside the street or behind
the car. Look at them before they are committed: after a change of the town or of traffic, other
moments may be worth seeing.
"""

import argparse
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from math import radians
from pathlib import Path

import numpy as np
from PIL import Image

from autosim.applications.common.open_worlds import compile_with_progress, open_named_world
from autosim.client.cameras.moving_cameras import FreeCamera
from autosim.client.scene.birds_eye import StandingEye
from autosim.client.scene.viewer import Viewer
from autosim.config.descriptions import WorldDescription
from autosim.config.world_settings import SkyDescription
from autosim.engine.step.simulation import Simulation
from autosim.loading.world_writer import with_scenario, with_traffic
from autosim.traffic.scenarios.scenario_file import load_scenario
from autosim.world.compiled.compiled_world import CompiledWorld

ROOT = Path(__file__).resolve().parents[1]

SIZE = (480, 270)
"""[pixels] Width and height."""

RATE = 10
"""[1/s] Pictures in a second."""

SHARPER = 2
"""Times as many pixels each way as are drawn, which smooths edges (ratio without unit)."""

QUALITY = 62
"""Percent of the quality of a WebP file: below 1.5 MB for ten seconds."""

CAMERA = "film:"
"""Its name: no robot has one with a colon."""


@dataclass(frozen=True, slots=True)
class Film:
    """A run, from which moment [s] and for how long [s] it is shown, and from where.

    `eye`: None for behind the first robot. `seed` of the run.
    """

    name: str
    world: Callable[[], WorldDescription]
    begin: float
    seconds: float
    eye: StandingEye | None = None
    seed: int = 0


def town(**sky: float) -> WorldDescription:
    """The shipped town with traffic."""
    world = open_named_world(ROOT / "worlds" / "circle_town.xml")
    graphics = replace(world.graphics, sky=SkyDescription(**sky))  # type: ignore[arg-type]
    return with_traffic(replace(world, graphics=graphics), vehicles=70, people=250)


def crowd() -> WorldDescription:
    """The shipped town with many people, and the car out of the way."""
    world = town()
    aside = replace(world.robots[0], program=None, position=(-300.0, 300.0, None), yaw=0.0)
    physics = replace(world.physics, step_seconds=1.0 / 60.0)
    return replace(world, robots=(aside,), physics=physics)


def jay_walker() -> WorldDescription:
    """The shipped town, in which somebody steps onto the street."""
    world = open_named_world(ROOT / "worlds" / "circle_town.xml")
    return with_scenario(world, load_scenario(ROOT / "scenarios" / "jay_walker.xml"))


def looking(x: float, y: float, height: float, heading: float, pitch: float) -> StandingEye:
    """A camera at x, y [m], `height` [m] above the ground; clockwise from north, and up [deg]."""
    return StandingEye((x, y), height, azimuth=radians(90.0 - heading), pitch=radians(pitch))


FILMS = (
    Film("signals", town, 16.5, 11.0, looking(8.5, 60.0, 4.2, -19.0, -7.0)),
    Film("crossing", crowd, 111.0, 8.0, looking(6.4, -132.0, 3.2, 203.0, -9.0)),
    Film("jay_walker", jay_walker, 21.0, 8.0),
    Film("snow", lambda: town(hours=21.0, month=7, snow=0.6, snow_cover=0.8), 24.0, 9.0),
)


def draw(film: Film, out: Path) -> None:
    """Writes a film as an animated WebP file."""
    world = film.world()
    compiled = compile_with_progress(world)
    frames = list(pictures(film, world, compiled))
    frames[0].save(
        out / f"{film.name}.webp",
        save_all=True,
        append_images=frames[1:],
        duration=1000 // RATE,
        loop=0,
        quality=QUALITY,
        method=6,
    )


def pictures(film: Film, world: WorldDescription, compiled: CompiledWorld) -> Iterator[Image.Image]:
    """The pictures of a film, one after the other."""
    width, height = (SHARPER * each for each in SIZE)
    with Simulation(world, compiled=compiled, seed=film.seed, report=print) as simulation:
        viewer = Viewer(
            world,
            compiled,
            simulation.tree,
            width=width,
            height=height,
            onscreen=False,
            renderer="p3headlessgl",
        )
        camera = ""
        if film.eye is not None:
            camera = CAMERA
            viewer.add_camera(camera, FreeCamera.at(film.eye.pose(compiled)))
        every = round(1.0 / (RATE * simulation.step_seconds))
        for number in range(round((film.begin + film.seconds) * RATE)):
            if number >= film.begin * RATE:
                viewer.update(simulation.state)
                pixels = np.asarray(viewer.image(camera))
                yield Image.fromarray(pixels).convert("RGB").resize(SIZE, Image.Resampling.BOX)
            for _ in range(every):
                simulation.step()
        viewer.close()


def main() -> None:
    """Draws all films, or those that are named."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("films", nargs="*")
    parser.add_argument("--out", type=Path, default=ROOT / "docs" / "films")
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    for film in FILMS:
        if not arguments.films or film.name in arguments.films:
            draw(film, arguments.out)


if __name__ == "__main__":
    main()
