"""A street on which the tests of scenarios play."""

import pytest

from autosim.world.compiled.compiled_world import CompiledWorld
from tests.world.maps import build_map


@pytest.fixture(scope="package")
def street(tmp_path_factory: pytest.TempPathFactory) -> CompiledWorld:
    """A street of two lanes in each direction, from west to east; traffic keeps right."""
    tags = {"highway": "primary", "lanes": "4", "maxspeed": "50"}
    ways = [(((-250.0, 0.0), (250.0, 0.0)), tags)]
    return build_map(tmp_path_factory.mktemp("street"), ways, side="right")
