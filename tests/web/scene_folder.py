"""A folder that shows the page's picture of a world without a server.

    python -m tests.web.scene_folder FOLDER [--seconds 15] [--vehicles 24] [--people 16]

writes the built page of `web/demo/`, the files of the shipped town, and states of a run. Any web
server shows it: `python -m http.server --directory FOLDER`, then `/scene_demo.html` there.
"""

import argparse
import gzip
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from autosim import load_world
from autosim.client.gltf.world_files import WorldFiles
from autosim.world.pipeline.cache import compile_world
from tests.web.canned_states import write_states

ROOT = Path(__file__).parents[2]
WEB = ROOT / "web"
WORLD = "worlds/circle_town.xml"


def write_folder(
    folder: Path, *, seconds: float = 15.0, vehicles: int = 24, people: int = 16
) -> None:
    """Writes page, world and states into `folder`.

    Raises:
        subprocess.CalledProcessError: the page cannot be built.
    """
    folder.mkdir(parents=True, exist_ok=True)
    build_demo(folder)
    world = load_world(WORLD)
    files = WorldFiles(world, compile_world(world.terrain))
    manifest = files.manifest_file()
    (folder / "manifest.json").write_bytes(gzip.decompress(manifest.content))
    for uri in sorted(set(_uris(files.manifest))):
        file = files.file(uri)
        assert file is not None, f"the manifest names {uri}, which is not there"
        path = folder / uri.lstrip("/")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(gzip.decompress(file.content))
    write_states(folder, seconds=seconds, vehicles=vehicles, people=people)


def build_demo(folder: Path) -> None:
    """Builds the page of `web/demo/` into `folder`."""
    for command in (["npm", "run", "--silent", "proto"], _VITE):
        environment = {**os.environ, "SCENE_DEMO": str(folder)}
        subprocess.run(command, cwd=WEB, env=environment, check=True, capture_output=True)


_VITE = ["npx", "vite", "build", "--config", "demo/vite.config.ts", "--logLevel", "error"]


def _uris(value: Any) -> Iterator[str]:
    """All addresses in a manifest."""
    if isinstance(value, dict):
        for key, each in value.items():
            if key == "uri":
                yield each
            else:
                yield from _uris(each)
    elif isinstance(value, list):
        for each in value:
            yield from _uris(each)


def main() -> None:
    """Writes the folder that the command line names."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seconds", type=float, default=15.0)
    parser.add_argument("--vehicles", type=int, default=24)
    parser.add_argument("--people", type=int, default=16)
    given = parser.parse_args()
    write_folder(given.folder, seconds=given.seconds, vehicles=given.vehicles, people=given.people)


if __name__ == "__main__":
    main()
