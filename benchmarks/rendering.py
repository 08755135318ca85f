"""Pictures per second offscreen, read back into NumPy, by renderer and world.

    python benchmarks/rendering.py [--size 640x480 --size 1280x720] [--pictures 60] [OSM ...]

Worlds: the demo town and the extracts given (default: Helsinki, where it is beside the checkout).
The car drives along lanes all over the town, some pictures on each; every picture is a new one.
Each renderer draws in a process of its own. The goals are for shadows in a city without a GPU, on a
machine that does nothing else: where it does, compare CPU times within one run.
"""

import argparse
import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from time import perf_counter, process_time

import numpy as np

from autosim.client.panda.renderer_errors import RendererError
from autosim.client.scene.viewer import Viewer
from autosim.config.descriptions import WorldDescription
from autosim.kinds.director import build_tree
from autosim.loading.loader import load_world, world_for_osm
from autosim.model.state import State
from autosim.world.compiled.compiled_world import CompiledWorld
from autosim.world.pipeline.cache import compile_world

ROOT = Path(__file__).resolve().parents[1]
HELSINKI = ROOT.parent / "shared/osm/pbf/helsinki.osm.pbf"
VARIANTS = {
    "shadows, 4 samples": {"multisamples": 4},
    "shadows": {"multisamples": 0},
    "plain": {"multisamples": 0, "has_shadows": False},
}
RENDERERS = ("p3tinydisplay", "p3headlessgl")
GOALS = {"640x480": 100, "1280x720": 45}
"""Pictures a second with shadows and OpenGL in a city."""
ABOVE_ROAD = 0.81
DRIVE = 20
"""Pictures from each lane."""
STRIDE = 50.0 / 3.6 / 60.0
"""Metres from one to the next: at 50 km/h, 60 pictures a second."""


def main() -> None:
    arguments = _arguments()
    if arguments.one:
        world, renderer, variant, size = arguments.one
        print(json.dumps(measure(world, renderer, variant, size=size, count=arguments.pictures)))
        return
    _print_row(["world", "renderer", "variant", "size"], "    ms  CPU ms   1/s  goal")
    for world in ["worlds/circle_town.xml", *arguments.osm]:
        for size in arguments.size or GOALS:
            for renderer in RENDERERS:
                for variant in list(VARIANTS)[2:] if renderer == "p3tinydisplay" else VARIANTS:
                    one = [world, renderer, variant, size]
                    _print_row(one, _in_own_process(one, arguments.pictures))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("osm", nargs="*", default=[str(HELSINKI)] if HELSINKI.exists() else [])
    parser.add_argument("--size", action="append", help=f"default: {' and '.join(GOALS)}")
    parser.add_argument("--pictures", type=int, default=240)
    parser.add_argument("--one", nargs=4, help=argparse.SUPPRESS)
    return parser.parse_args()


def _in_own_process(one: list[str], count: int) -> dict[str, float] | str:
    """What `measure` finds in a process of its own, or why it found nothing."""
    command = [sys.executable, __file__, "--one", *one, "--pictures", str(count)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    return done.stderr[-200:] if done.returncode else dict(json.loads(done.stdout.splitlines()[-1]))


def _print_row(one: list[str], found: dict[str, float] | str) -> None:
    world, renderer, variant, size = one
    head = f"{Path(world).name:20} {renderer:14} {variant:18} {size:>9}"
    if isinstance(found, str):
        print(head, found)
        return
    has_goal = (renderer, variant) == ("p3headlessgl", "shadows") and not world.endswith(".xml")
    goal = GOALS.get(size, "") if has_goal else ""
    ms, cpu_ms = found["ms"], found["cpu_ms"]
    print(f"{head} {ms:6.1f} {cpu_ms:7.1f} {1e3 / ms:5.0f} {goal:>5}")


def measure(name: str, renderer: str, variant: str, *, size: str, count: int) -> dict[str, float]:
    """Median wall and mean CPU time of a picture: move the car, draw, read back."""
    viewer, states = open_viewer(name, renderer, variant, size=size, count=count)
    draw_all(viewer, states)
    cpu = process_time()
    seconds = draw_all(viewer, states)
    cpu = (process_time() - cpu) / len(seconds)
    viewer.close()
    return {"ms": 1e3 * float(np.median(seconds)), "cpu_ms": 1e3 * cpu}


def open_viewer(
    name: str, renderer: str, variant: str, *, size: str, count: int
) -> tuple[Viewer, list[State]]:
    """A viewer of a world file or an extract, and states all over it."""
    world = load_world(name) if name.endswith(".xml") else world_for_osm(name)
    world = replace(world, graphics=replace(world.graphics, **VARIANTS[variant]))
    compiled = compile_world(world.terrain)
    states = places(world, compiled, count)
    width, height = (int(each) for each in size.split("x"))
    viewer = Viewer(
        world,
        compiled,
        states[0].tree,
        width=width,
        height=height,
        onscreen=False,
        renderer=renderer,
    )
    return viewer, states


def draw_all(viewer: Viewer, states: list[State]) -> list[float]:
    """Seconds of each picture."""
    seconds = []
    for state in states:
        start = perf_counter()
        viewer.update(state)
        viewer.image()
        seconds.append(perf_counter() - start)
    return seconds


def places(world: WorldDescription, compiled: CompiledWorld, count: int) -> list[State]:
    """The first robot on drives from the middle of lanes all over the network."""
    tree = build_tree(world)
    part = tree.find(f"{world.robots[0].name}.{world.robots[0].robot.parts[0].name}")
    if part is None:
        raise RendererError("the tree has no first part")
    position = part.field_offset("position") // 8
    orientation = part.field_offset("orientation") // 8
    lanes = list(compiled.roads.lanes)
    states = []
    for index in np.linspace(0, len(lanes) - 1, max(1, count // DRIVE)).astype(int).tolist():
        lane = lanes[index]
        yaw = lane.heading(lane.length / 2)
        for step in range(min(count, DRIVE)):
            state = State(tree)
            state.floats[position : position + 3] = lane.position(lane.length / 2)
            state.floats[position] += step * STRIDE * np.cos(yaw)
            state.floats[position + 1] += step * STRIDE * np.sin(yaw)
            state.floats[position + 2] += ABOVE_ROAD
            state.floats[orientation : orientation + 4] = (0, 0, np.sin(yaw / 2), np.cos(yaw / 2))
            states.append(state)
    return states


if __name__ == "__main__":
    main()
