"""Every benchmark runs to its end, with the smallest work that it can do.

Its figures are asserted to be there, never how large they are.
"""

import gc
import importlib
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.paths import ROOT, SHARED

SMALL_MAP = SHARED / "osm" / "city" / "tiny_roundabout.osm"
STREETS = SHARED / "osm" / "city" / "bautzen.osm"

CASES: dict[str, tuple[list[str], dict[str, Any]]] = {
    "bitstream": ([], {"COUNTS": (10,)}),
    "calls": ([], {"CALLS": 20, "WARM_UP": 2}),
    "curvilinear": ([], {"PLACES": 2000}),
    "fundamental_diagram": (
        [str(SMALL_MAP), "--densities", "3", "--minutes", "0.05", "--settle", "1"],
        {},
    ),
    "hour_of_traffic": (
        [str(SMALL_MAP), "--minutes", "0.1", "--vehicles", "3", "--people", "2", "--hertz", "60"],
        {},
    ),
    "ins": (["--robots", "2", "--steps", "4"], {"ROUNDS": 1}),
    "kinematic_vehicles": (["--seconds", "0.05", "--cars", "2"], {}),
    "lanes": ([], {"COUNT": 40, "REPEATS": 1}),
    "lidar": ([], {"STEPS": 2, "LIDARS": 2}),
    "mppi": (["--samples", "512", "--steps", "4"], {}),
    "networks": (["1"], {}),
    "people": (["--seconds", "0.1", "--people", "5", "--vehicles", "3"], {}),
    "picture_parts": (["--size", "64x48", "--places", "2", str(SMALL_MAP)], {}),
    "rays": (["--no-helsinki"], {"SECONDS": 0.01}),
    "sensing": (["--robots", "2", "--steps", "4"], {"ROUNDS": 1}),
    "steps": ([], {"COUNTS": (1,), "ROUNDS": 1, "STEPS": 4}),
    "streaming": ([str(STREETS), "--cars", "1", "--speed", "10", "--seconds", "0.2"], {}),
    "sumo": ([], {"SECONDS": 20, "LAST": 5, "VEHICLES": (2,)}),
    "traffic_flow": (
        [str(SMALL_MAP), "--minutes", "0.05", "--settle", "1", "--vehicles", "3"],
        {},
    ),
    "traffic": ([], {"SECONDS": 0.1, "VEHICLES": (3,)}),
    "vehicles": (["--seconds", "0.05", "--cars", "1"], {"GROUNDS": 1}),
}
"""Arguments of each benchmark, and constants of its module that make it short; a whole number in
the place of a collection says how many of its items are left."""

OWN_PROCESS: dict[str, tuple[list[str], dict[str, Any]]] = {
    "environments": (["--seconds", "0.05", "--cars", "8", "--threads", "1"], {"RESETS": 1}),
    "network": (["--seconds", "0.5", "--clients", "1", "--rates", "60"], {"WARM_UP_SECONDS": 0.2}),
    "web_viewers": (
        ["--viewers", "3", "--seconds", "0.3", "--cars", "2"],
        {"WARM_UP_SECONDS": 0.1, "JOINS": 1},
    ),
    "testbench": (["raw", "local"], {"CASES": ((100, 200.0, 20, 50),)}),
    "ros2_bridge": (
        ["--seconds", "0.5", "--rounds", "1", "--columns", "32", "--size", "64x48"],
        {"WARM_UP_SECONDS": 0.1},
    ),
    "server_window": ([], {"STEPS": 20, "ROUNDS": 1, "ROBOTS": (1,)}),
}
"""The same for those that run in their own process: they have windows, or start processes by
`multiprocessing`, which leaves its resource tracker behind."""

SLOW: dict[str, tuple[list[str], dict[str, Any]]] = {
    "sumo_networks": ([str(SHARED / "osm" / "city" / "perth_stretched_lights.osm")], {}),
    "cameras": (["--size", "64x48", "--pictures", "2"], {"RENDERERS": 1}),
    "first_picture": (["--runs", "1"], {}),
    "drawing_beside": (["worlds/circle_town.xml", "--seconds", "1"], {}),
    "recording": ([], {"SECONDS": 1.0, "ROUNDS": 1}),
    "rendering": (["--size", "64x48", "--pictures", "2"], {}),
    "start": (["1"], {"WORLDS": ("worlds/circle_town.xml",)}),
    "world": (["town"], {}),
}
"""The same for those that take tens of seconds however small they are made."""

ELSEWHERE = {"get_data", "metadrive_steps"}
"""`get_data` is a user program and runs as a command; MetaDrive cannot be installed beside us."""


@pytest.fixture(autouse=True)
def _leaves_nothing_behind() -> Iterator[None]:
    """Switches garbage collection on, and forgets the benchmarks: `sumo` is a package, too."""
    yield
    gc.enable()
    gc.unfreeze()
    folder = str(ROOT / "benchmarks")
    for name, module in list(sys.modules.items()):
        if str(getattr(module, "__file__", None) or "").startswith(folder):
            del sys.modules[name]


def shortened(value: Any, wanted: Any) -> Any:
    """The first `wanted` items of a collection; any other value is replaced."""
    if isinstance(wanted, int) and isinstance(value, dict):
        return dict(list(value.items())[:wanted])
    if isinstance(wanted, int) and isinstance(value, tuple | list):
        return value[:wanted]
    return wanted


def run_short(
    name: str, case: tuple[list[str], dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    arguments, constants = case
    if name == "first_picture" and not (shutil.which("chromium") and shutil.which("node")):
        pytest.skip("no Chromium or no Node is installed")
    for each in arguments:
        if str(SHARED) in each and not Path(each).exists():
            pytest.skip(f"{each} is not beside the checkout")
    monkeypatch.chdir(ROOT)
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    monkeypatch.setattr(sys, "argv", [f"benchmarks/{name}.py", *arguments])
    module = importlib.import_module(name)
    for constant, wanted in constants.items():
        monkeypatch.setattr(module, constant, shortened(getattr(module, constant), wanted))
    takes = module.main.__code__.co_argcount
    module.main(*([arguments] if takes else []))


def assert_figures(output: str) -> None:
    figures = re.findall(r"(?<![\w.])-?\d+(?:\.\d+)?(?![\w.])", output)
    assert figures, output
    assert not re.search(r"\bnan\b|Traceback", output), output


@pytest.mark.parametrize("name", sorted(CASES))
def test_a_benchmark_prints_its_figures(
    name: str, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    run_short(name, CASES[name], monkeypatch)
    assert_figures(capfd.readouterr().out)


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(OWN_PROCESS))
def test_a_benchmark_in_its_own_process_prints_its_figures(name: str) -> None:
    arguments, constants = OWN_PROCESS[name]
    program = (
        f"import sys\nsys.path.insert(0, 'benchmarks')\nsys.argv = {['benchmark', *arguments]!r}\n"
        f"import {name}\n"
        f"vars({name}).update({constants!r})\n"
        f"{name}.main()\n"
    )
    environment = os.environ | {"QT_QPA_PLATFORM": "offscreen", "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert_figures(done.stdout)


@pytest.mark.long
@pytest.mark.parametrize("name", sorted(SLOW))
def test_a_slow_benchmark_prints_its_figures(
    name: str, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    run_short(name, SLOW[name], monkeypatch)
    assert_figures(capfd.readouterr().out)


def test_every_benchmark_is_run() -> None:
    files = {each.stem for each in (ROOT / "benchmarks").glob("*.py")}
    assert files == {*CASES, *SLOW, *OWN_PROCESS, *ELSEWHERE}
