"""The page's picture in a headless browser, against pictures that were looked at.

After a wanted change, `AUTOSIM_NEW_PICTURES=1 pytest tests/web/test_scene_pictures.py` writes them
again; look at them before committing.
"""

import json
import os
import shutil
import subprocess
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from autosim.arrays import Floats
from tests.web.scene_folder import WEB, write_folder

SIZE = (320, 180)
SMALL = (64, 36)
"""Size [pixels] at which pictures are compared: rasterizers differ at edges."""

MEAN, MOST = 6.0, 80.0
"""Differences (0..255) that a picture may have: of its mean, and of one of its small pixels."""

GOLDEN = Path(__file__).parent / "pictures"

VIEWS = {
    "day": 'sky({}); camera("chase", { yaw: 0.5, pitch: 0.18 })',
    "night": 'sky({ hours: 22.5, clouds: 0.1 }); camera("chase", { pitch: 0.2 })',
    "map": 'sky({}); camera("map", { distance: 180 })',
}

PICKING = """(async () => {
  view.setCamera("chase", "impreza");
  await view.whenComplete();
  const canvas = document.querySelector("canvas");
  const [x, y] = [canvas.clientWidth / 2, canvas.clientHeight * 0.6];
  const ground = view.groundAt(x, canvas.clientHeight * 0.95);
  return { picked: view.pick(x, y), sky: view.groundAt(x, 1), ground };
})()"""

LEAKING = """(async () => {
  const { geometries, textures } = view.memory;
  view.dispose();
  return { geometries, textures, left: view.memory };
})()"""


class _Quiet(SimpleHTTPRequestHandler):
    def log_request(self, code: object = "-", size: object = "-") -> None:
        """Says nothing."""


def _missing() -> str:
    """What is missing for these tests; "" where all is there."""
    if shutil.which("chromium") is None:
        return "there is no Chromium: apt-get install chromium"
    if shutil.which("npx") is None or not (WEB / "node_modules" / "playwright-core").is_dir():
        return "the page's packages are not installed: run scripts/build_page.sh"
    return ""


pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(bool(_missing()), reason=_missing() or "all is there"),
]


@pytest.fixture(scope="module")
def answer(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What the browser says, and the folder of its pictures."""
    folder = tmp_path_factory.mktemp("scene")
    write_folder(folder, seconds=0.5)
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(folder)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    request = {
        "url": f"http://127.0.0.1:{server.server_port}/scene_demo.html?figures=0&state=4&quality=low",
        "chromium": shutil.which("chromium"),
        "width": SIZE[0],
        "height": SIZE[1],
        "timeout": 240_000,
        "pictures": [
            {"name": name, "script": script, "file": str(folder / f"{name}.png")}
            for name, script in VIEWS.items()
        ],
        "after": f"(async () => ({{ pick: await {PICKING}, gone: await {LEAKING} }}))()",
    }
    (folder / "request.json").write_text(json.dumps(request))
    try:
        run = subprocess.run(
            ["node", "demo/pictures.mjs", str(folder / "request.json")],
            cwd=WEB,
            capture_output=True,
            text=True,
            timeout=600,
            check=False,
        )
    finally:
        server.shutdown()
        server.server_close()
    assert run.returncode == 0, run.stderr
    found: dict[str, Any] = json.loads(run.stdout)
    return {**found, "folder": folder}


@pytest.mark.parametrize("name", VIEWS)
def test_the_picture_looks_as_it_did(name: str, answer: dict[str, Any]) -> None:
    assert answer["error"] is None
    file = answer["folder"] / f"{name}.png"
    golden = GOLDEN / f"{name}.jpg"
    if os.environ.get("AUTOSIM_NEW_PICTURES"):
        golden.parent.mkdir(exist_ok=True)
        Image.open(file).convert("RGB").resize(SIZE).save(golden, quality=80)
    difference = np.abs(_small(file) - _small(golden))
    assert difference.mean() < MEAN
    assert difference.max() < MOST


def test_the_town_is_whole_and_nothing_complains(answer: dict[str, Any]) -> None:
    assert answer["console"] == []
    for stats in answer["stats"].values():
        assert stats["isComplete"]
        assert stats["tilesShown"] == stats["tilesWanted"] > 0
        assert stats["triangles"] > 10_000


def test_the_robot_is_picked_in_the_middle_and_ground_only_below_the_horizon(
    answer: dict[str, Any],
) -> None:
    pick = answer["after"]["pick"]
    assert pick["picked"] == "impreza.chassis"
    assert pick["sky"] is None
    assert len(pick["ground"]) == 3


def test_nothing_is_left_on_the_graphics_card_after_disposal(answer: dict[str, Any]) -> None:
    gone = answer["after"]["gone"]
    assert gone["geometries"] > 50
    assert gone["left"] == {"geometries": 0, "textures": 0}


def _small(file: Path) -> Floats:
    """A picture (36, 64, 3) of mean colours (0..255)."""
    picture = Image.open(file).convert("RGB").resize(SMALL, Image.Resampling.BOX)
    return np.asarray(picture, dtype=np.float64)
