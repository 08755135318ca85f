"""The shipped race track, made once."""

import pytest

from autosim.tools.make_cone_track import make_track
from autosim.tracks.curve import Curve


@pytest.fixture(scope="session")
def cone_track() -> Curve:
    return make_track(0)
