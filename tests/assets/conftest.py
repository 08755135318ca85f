"""The shipped race track, made once."""

from tests.tracks.conftest import cone_track

__all__ = ["cone_track"]
