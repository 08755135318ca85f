"""What the tests of compiled worlds share."""

import os
from collections.abc import Callable
from fcntl import LOCK_EX, flock
from pathlib import Path

import pytest

from autosim.config.diagnostics import Diagnostics
from autosim.world.compiled.compiled_file import load_compiled_world, save_compiled_world
from autosim.world.compiled.compiled_world import CompiledWorld
from autosim.world.pipeline.world_pipeline import build_world


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Callable[[Path], CompiledWorld]:
    """Gives the world of a whole map, which is built once for all tests that only look at it.

    That is also once for all workers: their own folders lie in one.
    """
    folder = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        folder = folder.parent

    def world_of(path: Path) -> CompiledWorld:
        if not path.exists():
            pytest.skip("the shared OSM extracts are not there")
        kept = folder / f"{path.parent.name}-{path.name}.world"
        with kept.with_suffix(".lock").open("w") as lock:
            flock(lock, LOCK_EX)
            if not kept.exists():
                save_compiled_world(build_world(path, diagnostics=Diagnostics()), kept)
        return load_compiled_world(kept)

    return world_of
