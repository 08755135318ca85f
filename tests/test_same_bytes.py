"""The same world and the same steps, to the byte, whatever the processor can do.

Libraries are made to believe in another processor than there is: NumPy by
`NPY_DISABLE_CPU_FEATURES`, OpenBLAS by `OPENBLAS_CORETYPE`, the C library by `GLIBC_TUNABLES`. What
the kernels do does not depend on it (`test_portable.py`).

`WORLD` and `STEPS` are the digests of the demo's town and drive, with the versions of
`requirements.lock`. After a change that is meant to change them, write down those that the failing
test names; if the world has changed, raise `PIPELINE_VERSION` as well.
"""

import hashlib
import json
import os
import subprocess
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from autosim.engine.step.simulation import Simulation
from autosim.loading.loader import load_world
from autosim.world.compiled.compiled_file import save_compiled_world
from autosim.world.compiled.compiled_world import CompiledWorld
from autosim.world.geometry.extent import Window
from autosim.world.pipeline.world_pipeline import build_world
from tests.paths import ROOT, SHARED
from tests.world.maps import RESIDENTIAL, build_map

DEMO = ROOT / "worlds" / "circle_town.xml"
STEP_COUNT = 240

WORLD = "bdf139967416ffa9a91b8e6ff96ab1f2a578754b3158a02b62e8056f73293102"
STEPS = "aaec1e0930d17315cca5557a0019623a0444c1d10847a7a586a3e770186c7d35"

LAYER = {"layer": "1", "bridge": "yes"}
BRIDGES = [
    (((-150.0, 0.0), (-40.0, 0.0)), RESIDENTIAL),
    (((-40.0, 0.0), (0.0, 0.0), (40.0, 10.0)), RESIDENTIAL | LAYER),
    (((40.0, 10.0), (150.0, 40.0), (90.0, 120.0), (0.0, 90.0)), RESIDENTIAL),
    (((0.0, -150.0), (10.0, 0.0), (0.0, 90.0), (-60.0, 150.0)), RESIDENTIAL),
    (((-90.0, -80.0), (60.0, -80.0), (150.0, 40.0)), RESIDENTIAL),
]
"""Streets with bends over one another: their heights are a system that fills while it is solved."""


def digest_of(world: CompiledWorld) -> str:
    """SHA-256 of all that is in a compiled world but the digest of what it was made of."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "world"
        save_compiled_world(replace(world, digest=""), path)
        return hashlib.sha256(path.read_bytes()).hexdigest()


def digest_of_steps(world: CompiledWorld) -> str:
    """SHA-256 of the states of the demo's drive, one after the other."""
    digest = hashlib.sha256()
    with Simulation(load_world(DEMO), compiled=world) as simulation:
        simulation.on_publish.append(lambda: digest.update(simulation.state.buffer))
        for _ in range(STEP_COUNT):
            simulation.step()
    return digest.hexdigest()


def short_digests() -> dict[str, str]:
    """Of the demo, and of a small map that needs more of the pipeline."""
    demo = load_world(DEMO)
    town = build_world(demo.terrain.osm, setup=demo.terrain.setup)
    with tempfile.TemporaryDirectory() as folder:
        bridges = build_map(Path(folder), BRIDGES)
    return {
        "world": digest_of(town),
        "steps": digest_of_steps(town),
        "bridges": digest_of(bridges),
    }


def digests_of_leeds() -> dict[str, str]:
    """Of a real map with stacked streets."""
    return {"leeds": digest_of(build_world(SHARED / "osm/city/leeds_cycleway.osm"))}


def digests_of_helsinki() -> dict[str, str]:
    """Of a square kilometre of a city."""
    window = Window(60.1717, 24.9443, 1000.0)
    helsinki = build_world(SHARED / "osm/pbf/helsinki.osm.pbf", window=window)
    return {"helsinki": digest_of(helsinki)}


def features() -> list[str]:
    """What this processor has, beyond the least, and NumPy has code for."""
    config = np.show_config(mode="dicts")
    return list(config["SIMD Extensions"].get("found", ()))  # type: ignore[index]


def without(names: list[str]) -> dict[str, str]:
    return {"NPY_DISABLE_CPU_FEATURES": " ".join(names)} if names else {}


PROCESSORS = {
    "this one": {},
    "one without AVX-512": {
        **without([each for each in features() if "512" in each or each == "X86_V4"]),
        "OPENBLAS_CORETYPE": "Haswell",
    },
    "one of 2008, without FMA and AVX2": {
        **without(features()),
        "OPENBLAS_CORETYPE": "Nehalem",
        "GLIBC_TUNABLES": "glibc.cpu.hwcaps=-FMA,-FMA4,-FMA_Usable,-AVX2,-AVX2_Usable",
    },
}


def digests_on(processor: str, function: str = "short_digests") -> dict[str, str]:
    """The digests that a process finds which takes this processor for another."""
    code = f"import json; from tests import test_same_bytes as t; print(json.dumps(t.{function}()))"
    ran = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        env={**os.environ, **PROCESSORS[processor]},
        capture_output=True,
        text=True,
    )
    assert ran.returncode == 0, ran.stderr
    found: dict[str, str] = json.loads(ran.stdout.splitlines()[-1])
    return found


@pytest.fixture(scope="module")
def here() -> dict[str, str]:
    return digests_on("this one")


def test_the_demo_has_the_bytes_that_are_written_down(here: dict[str, str]) -> None:
    assert (here["world"], here["steps"]) == (WORLD, STEPS), (
        f'if this is meant: WORLD = "{here["world"]}", STEPS = "{here["steps"]}"'
    )


@pytest.mark.parametrize("processor", [name for name in PROCESSORS if name != "this one"])
def test_another_processor_makes_the_same_worlds_and_steps(
    processor: str, here: dict[str, str]
) -> None:
    assert digests_on(processor) == here


@pytest.mark.skipif(not SHARED.exists(), reason="real maps are not beside the checkout")
@pytest.mark.parametrize(
    "digests", ["digests_of_leeds", pytest.param("digests_of_helsinki", marks=pytest.mark.long)]
)
def test_an_old_processor_makes_the_same_worlds_of_a_real_map(digests: str) -> None:
    old = digests_on("one of 2008, without FMA and AVX2", digests)
    assert old == digests_on("this one", digests)
