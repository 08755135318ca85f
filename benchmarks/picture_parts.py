"""What the parts of a picture cost: each is left out of every second picture of one run.

    python benchmarks/picture_parts.py [--size 640x480] [--places 30] [OSM]

Prints the processor time of a picture, and how much of it is saved without the part, in ms, drawn
offscreen with OpenGL and shadows. What else the machine does meanwhile falls on both alike.
"""

import argparse
from dataclasses import dataclass
from time import process_time
from typing import Any

from rendering import HELSINKI, draw_all, open_viewer

from autosim.client.panda.masks import EYE_MASK, SHADOW_MASK
from autosim.client.panda.panda_imports import core
from autosim.client.scene.viewer import Viewer
from autosim.model.state import State


@dataclass(frozen=True, slots=True)
class Part:
    """Nodes, and the bits of the cameras for which they are left out."""

    name: str
    nodes: list[Any]
    cameras: int


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("osm", nargs="?", default=str(HELSINKI))
    parser.add_argument("--size", default="640x480")
    parser.add_argument("--places", type=int, default=30)
    wanted = parser.parse_args()
    size, count = wanted.size, wanted.places
    viewer, states = open_viewer(wanted.osm, "p3headlessgl", "shadows", size=size, count=count)
    draw_all(viewer, states)
    print(f"{'part':24} picture  saved")
    for part in parts_of(viewer):
        whole, without = cost(viewer, states, part)
        print(f"{part.name:24} {whole:7.1f} {whole - without:6.1f}", flush=True)
    viewer.close()


def parts_of(viewer: Viewer) -> list[Part]:
    """The parts that the scene has nodes for; the first is none, and shows what is noise."""
    root = viewer._scene.root
    tiles, robots, sky = root.find("tiles"), root.find("robots"), root.find("**/sky")
    afar = list(root.findAllMatches("**/tile/far"))
    return [
        Part("nothing", [], EYE_MASK),
        Part("tiles", [tiles], EYE_MASK),
        Part("tiles from afar", afar, EYE_MASK),
        Part("robots", [robots], EYE_MASK),
        Part("sky", [sky], EYE_MASK),
        Part("shadows of tiles", [tiles], SHADOW_MASK),
        Part("shadows of robots", [robots], SHADOW_MASK),
    ]


def cost(viewer: Viewer, states: list[State], part: Part) -> tuple[float, float]:
    """Mean processor time [ms] of a picture with the part, and of one without it.

    Each state has one of both, in two drives: a viewer draws no state twice in a row.
    """
    cameras = core.BitMask32(part.cameras)
    seconds = [0.0, 0.0]
    for drive in range(2):
        for number, state in enumerate(states):
            is_without = (number + drive) % 2
            for node in part.nodes if is_without else ():
                node.hide(cameras)
            seconds[is_without] += _seconds(viewer, state)
            for node in part.nodes if is_without else ():
                node.show(cameras)
    whole, without = seconds
    return 1e3 * whole / len(states), 1e3 * without / len(states)


def _seconds(viewer: Viewer, state: State) -> float:
    start = process_time()
    viewer.update(state)
    viewer.image()
    return process_time() - start


if __name__ == "__main__":
    main()
