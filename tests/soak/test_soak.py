"""A server is used for some rounds as `make soak` does for hours; growth is told from noise."""

import re
import subprocess
import sys

import numpy as np
import pytest

from tests.paths import ROOT
from tests.soak.slopes import slopes_of
from tests.soak.usage import Usage

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


def test_a_server_is_used_in_all_its_ways():
    """Run in a fresh interpreter, where no fork server is older than the folder."""
    command = [sys.executable, "-m", "tests.soak", "--hours", "0", "--seed", "1"]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    assert int(re.search(r"round +1 .*processes (\d+)", ran.stdout)[1]) >= 3
