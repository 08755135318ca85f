"""The shipped race track, made once."""

import pytest

from autosim.tracks.curve import Curve
from autosim_assets.make_cone_track import make_track


@pytest.fixture(scope="session")
def cone_track() -> Curve:
    return make_track(0)
