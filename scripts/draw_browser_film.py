"""Draws the film of the page, docs/films/browser.webp: a recorded demo, played in Chromium.

    python scripts/draw_browser_film.py [--seconds 4.5] [--begin 3]

Each picture is drawn wholly, however long that takes: the film runs in real time on any machine.
Look at it before it is committed.
"""

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

from PIL import Image

ROOT = Path(__file__).resolve().parents[1]

FILM = ROOT / "docs" / "films" / "browser.webp"

STATES_PER_SECOND = 20
"""[1/s] States in a second of a recorded run's page."""

EVERY = 3
"""States from one picture to the next."""

QUALITY = 60
"""Percent of the quality of a WebP file."""


def run(*words: str) -> None:
    """Runs a command, which must end well."""
    subprocess.run(words, cwd=ROOT, check=True)


def main() -> None:
    """Records, exports, takes the pictures, and writes the film."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=4.5, help="of the film")
    parser.add_argument("--begin", type=float, default=3.0, help="simulated time of its begin [s]")
    given = parser.parse_args()
    autosim = (sys.executable, "-m", "autosim")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        record, page = folder / "run.mcap", folder / "run.html"
        length = str(given.begin + given.seconds + 2.0)
        headless = ("--headless", "--out", str(folder / "demo"), "--record", str(record))
        run(*autosim, "demo", "--seconds", length, *headless)
        run(*autosim, "export", str(record), "--html", str(page))
        begin = str(round(given.begin * STATES_PER_SECOND))
        count = str(round(given.seconds * STATES_PER_SECOND / EVERY))
        run("node", "web/scripts/film.mjs", str(page), name, begin, str(EVERY), count)
        frames = [Image.open(each).convert("RGB") for each in sorted(folder.glob("*.png"))]
        frames[0].save(
            FILM,
            save_all=True,
            append_images=frames[1:],
            duration=1000 * EVERY // STATES_PER_SECOND,
            loop=0,
            quality=QUALITY,
            method=4,
        )


if __name__ == "__main__":
    main()
