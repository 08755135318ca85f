"""What the tests of traffic share with those of compiled worlds."""

from tests.world.conftest import built

__all__ = ["built"]
