"""The shipped town, compiled once for all tests of its files."""

import pytest

from autosim.client.gltf.world_files import WorldFiles
from autosim.loading.loader import load_world
from autosim.world.pipeline.cache import compile_world
from tests.paths import ROOT


@pytest.fixture(scope="session")
def town():
    """The description of the shipped town, and the compiled world."""
    world = load_world(ROOT / "worlds" / "circle_town.xml")
    return world, compile_world(world.terrain)


@pytest.fixture(scope="session")
def town_files(town, tmp_path_factory):
    """Files of the shipped town in their own cache."""
    return WorldFiles(*town, folder=tmp_path_factory.mktemp("gltf"))
