"""Writes what a camera sees to files, one picture a second of simulated time.

Cameras are drawn by clients: run it there. docs/tutorials/camera_to_files.md explains it.

    autosim client --program userprograms/camera_to_files.py --headless
"""

import sys
from pathlib import Path

from PIL import Image

from autosim.userprogram import get_image, get_time, unlock_image, wait

CAMERA = "front_view"
PERIOD = 1.0  # s


def main(argv):
    """Looks through the camera of the robot `argv[0]`.

    `argv[1]` is how many pictures to take (default 10), `argv[2]` the folder for them.
    """
    count = int(argv[1]) if len(argv) > 1 else 10
    folder = Path(argv[2] if len(argv) > 2 else "out/camera")
    folder.mkdir(parents=True, exist_ok=True)
    for number in range(count):
        pixels = get_image(f"{argv[0]}.chassis.{CAMERA}")  # (height, width, 4) RGBA
        path = folder / f"{number:04d}.png"
        Image.fromarray(pixels).convert("RGB").save(path)
        unlock_image()  # the next picture may be drawn
        print(f"{get_time():.2f} s: {path}", file=sys.stderr)
        wait(PERIOD)
