"""A server is used for some rounds as `make soak` does for hours; growth is told from noise."""

import time

import numpy as np
import pytest

from tests.running_processes import is_fork_server
from tests.soak.__main__ import own_temporary_folder, soak
from tests.soak.slopes import slopes_of
from tests.soak.usage import Usage, family

STEADY = Usage(memory_mb=250.0, processes=4, threads=20, descriptors=60, shared_memory=3, files=2)


def with_growth(name: str, per_round: float, rounds: int = 60) -> list[Usage]:
    """Rounds with noise, in which one quantity grows."""
    noise = np.random.default_rng(1).normal(size=rounds)
    return [
        STEADY._replace(
            **{name: getattr(STEADY, name) + per_round * k, "threads": round(20 + noise[k])}
        )
        for k in range(rounds)
    ]


@pytest.mark.parametrize("name", ["memory_mb", "processes", "descriptors", "files"])
def test_a_quantity_that_grows_by_a_half_each_round_is_found(name):
    found = slopes_of(with_growth(name, 0.5))
    assert [slope.name for slope in found if slope.is_leak] == [name]
    assert "GROWS" in str(next(slope for slope in found if slope.is_leak))


def test_noise_and_caches_that_fill_at_the_start_are_no_growth():
    filling = [STEADY._replace(memory_mb=250.0 + 20.0 * min(k, 10)) for k in range(60)]
    assert not any(slope.is_leak for slope in slopes_of(filling))
    assert not any(slope.is_leak for slope in slopes_of(with_growth("files", 0.0)))
    assert slopes_of(filling[:4]) == []


def test_a_server_is_used_in_all_its_ways_and_leaves_nothing():
    with own_temporary_folder() as folder:
        rounds = soak(folder, seed=1)
        usage = next(rounds)
        rounds.close()
        end = time.monotonic() + 60.0
        while (left := [each for each in family(folder) if not is_fork_server(each)]) and (
            time.monotonic() < end
        ):
            time.sleep(0.05)
        assert left == []
        assert [*folder.rglob("*.sock"), *folder.rglob("*.lock")] == []
    assert usage.processes >= 3
