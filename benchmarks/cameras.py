"""Pictures per second of robots' cameras, by size, kind and renderer.

    python benchmarks/cameras.py [--size 320x240 --size 640x480] [--pictures 60] [WORLD]

Each picture is of a state of its own, read back into NumPy. A row with several kinds is one camera
that makes them all: what is measured comes out of one drawing. Where other programs run beside it,
compare CPU times; the ratio is that to `rgb` of one camera of the same size and renderer. Lines
with a lens draw a wider picture and bend it. The last ones draw four cameras of 320 × 240 pixels at
each state.
"""

import argparse
import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from time import perf_counter, process_time

import numpy as np
from rendering import places

from autosim.client.rendering.device_pictures import DevicePictures
from autosim.client.scene.viewer import Viewer
from autosim.kinds.director import build_tree
from autosim.kinds.sensors.perception.camera import Camera
from autosim.loading.loader import load_world, world_for_osm
from autosim.userprogram.ipc.camera_images import PictureRequest
from autosim.world.pipeline.cache import compile_world

ROOT = Path(__file__).resolve().parents[1]
EYE = Camera("eye", "chassis", position=(0.7, 0.0, 0.7), direction=(1.0, 0.0, -0.1))
MEASURED = ("depth", "semantic", "instance", "normals")
CASES = {
    "rgb": replace(EYE, kinds=("rgb",)),
    "depth": replace(EYE, kinds=("depth",)),
    "depth, labels, normals": replace(EYE, kinds=MEASURED),
    "all and flow": replace(EYE, kinds=("rgb", *MEASURED, "flow")),
    "rgb, Brown-Conrady": replace(EYE, brown_conrady=(-0.3, 0.1, 0.0, 0.0, 0.0)),
    "rgb, fisheye 120°": replace(EYE, fisheye=(0.0, 0.0, 0.0, 0.0), fov=2.09),
    "rgb, noise": replace(EYE, full_well=10_000.0, read_noise=5.0),
}
RENDERERS = ("p3headlessgl", "p3tinydisplay")
SIZES = ("320x240", "640x480", "1280x720")


def main() -> None:
    arguments = _arguments()
    if arguments.one:
        renderer, case, size, cameras = arguments.one
        found = measure(
            arguments.world, renderer, case, size=size, count=arguments.pictures, cameras=cameras
        )
        print(json.dumps(found))
        return
    heads = f"{'renderer':14} {'picture':24} {'size':>9} {'cameras':>7}"
    print(f"{heads} {'ms':>7} {'CPU ms':>7} {'ratio':>6} {'pictures/s':>10}")
    rows = [(case, size, "1") for size in arguments.size or SIZES for case in CASES]
    rows += [(case, "320x240", "4") for case in ("rgb", "all and flow")]
    for renderer in RENDERERS:
        plain: dict[str, float] = {}
        for case, size, cameras in rows:
            if renderer == "p3tinydisplay" and set(CASES[case].kinds) != {"rgb"}:
                continue
            found = _in_own_process([renderer, case, size, cameras], arguments)
            head = f"{renderer:14} {case:24} {size:>9} {cameras:>7}"
            ms, cpu_ms = found
            ratio = cpu_ms / plain.setdefault(size, cpu_ms)
            count = int(cameras) * len(CASES[case].kinds)
            print(
                f"{head} {ms:7.1f} {cpu_ms:7.1f} {ratio:6.1f} {1e3 * count / ms:10.0f}", flush=True
            )


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("world", nargs="?", default="worlds/circle_town.xml")
    parser.add_argument("--size", action="append", help=f"default: {', '.join(SIZES)}")
    parser.add_argument("--pictures", type=int, default=60)
    parser.add_argument("--one", nargs=4, help=argparse.SUPPRESS)
    return parser.parse_args()


def _in_own_process(one: list[str], arguments: argparse.Namespace) -> list[float]:
    """What `measure` finds in a process of its own: each has one renderer."""
    command = [sys.executable, __file__, arguments.world, "--one", *one]
    command += ["--pictures", str(arguments.pictures)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return list(json.loads(done.stdout.splitlines()[-1]))


def measure(
    name: str, renderer: str, case: str, *, size: str, count: int, cameras: str
) -> tuple[float, float]:
    """Of a state: move the car, draw all pictures of all cameras, read back.

    Returns:
        the median time, and the mean processor time of all threads [ms].
    """
    width, height = (int(each) for each in size.split("x"))
    world = load_world(name) if name.endswith(".xml") else world_for_osm(name)
    placed = world.robots[0]
    part = placed.robot.parts[0].name
    eyes = tuple(
        replace(CASES[case], name=f"eye{k}", part=part, resolution=(width, height))
        for k in range(int(cameras))
    )
    robot = replace(placed.robot, devices=(*placed.robot.devices, *eyes))
    world = replace(world, robots=(replace(placed, robot=robot), *world.robots[1:]))
    compiled = compile_world(world.terrain)
    states = places(world, compiled, count)
    viewer = Viewer(
        world,
        compiled,
        build_tree(world),
        width=width,
        height=height,
        onscreen=False,
        renderer=renderer,
    )
    pictures = DevicePictures(viewer, world, states[0].tree)
    wishes = [
        PictureRequest(f"{placed.name}.{part}.{eye.name}", kind)
        for eye in eyes
        for kind in eye.kinds
    ]
    for state in states:  # reads the tiles
        pictures.draw(wishes, state)
    seconds, cpu = [], process_time()
    for state in states:
        start = perf_counter()
        pictures.draw(wishes, state)
        seconds.append(perf_counter() - start)
    cpu = process_time() - cpu
    viewer.close()
    return 1e3 * float(np.median(seconds)), 1e3 * cpu / len(states)


if __name__ == "__main__":
    main()
