"""Networks of ways that were found before are read, and found anew where that goes wrong."""

from dataclasses import fields

import numpy as np
import pytest

from autosim.traffic.ways import network_cache
from autosim.traffic.ways.network_builder import WalkableWorld, find_walk_network
from autosim.traffic.ways.network_cache import cached_walk_network
from autosim.world.pipeline.cache import cache_directory
from tests.traffic.signals.junctions import signalled_crossing


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    return WalkableWorld(signalled_crossing(tmp_path_factory.mktemp("crossing"), with_people=True))


@pytest.fixture
def finds(tmp_path, monkeypatch):
    """Counts the networks that are found, with a cache that is empty."""
    found = []

    def find(site):
        found.append(site)
        return find_walk_network(site)

    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    cache_directory().mkdir(parents=True)
    monkeypatch.setattr(network_cache, "find_walk_network", find)
    return found


def bytes_of(network):
    arrays = (getattr(network, each.name) for each in fields(network))
    return [(each.dtype, each.shape, each.tobytes()) for each in arrays]


def the_file():
    (path,) = cache_directory().iterdir()
    return path


def test_ways_are_found_once_and_read_to_the_same_bytes(site, finds):
    first, again = cached_walk_network(site), cached_walk_network(site)
    assert len(finds) == 1
    assert len(first.lengths) > 10
    assert bytes_of(again) == bytes_of(first)


def test_a_damaged_file_is_made_anew(site, finds):
    whole = bytes_of(cached_walk_network(site))
    content = the_file().read_bytes()
    rng = np.random.default_rng(1)
    for cut in rng.integers(0, len(content), 20):
        the_file().write_bytes(content[:cut])
        assert bytes_of(cached_walk_network(site)) == whole
    for place in (*range(0, 300, 7), *rng.integers(0, len(content), 60)):
        broken = bytearray(content)
        broken[place] ^= 0xFF
        the_file().write_bytes(broken)
        assert bytes_of(cached_walk_network(site)) == whole
    assert len(finds) > 20


def test_other_code_finds_other_ways_and_keeps_them_instead(site, finds, monkeypatch):
    cached_walk_network(site)
    old = the_file()
    monkeypatch.setattr(network_cache, "_digest_of_code", lambda: "0123456789abcdef")
    cached_walk_network(site)
    assert len(finds) == 2
    assert the_file() != old


def test_without_a_cache_ways_are_found_each_time(site, finds):
    cache_directory().rmdir()
    whole = bytes_of(cached_walk_network(site))
    cache_directory().parent.joinpath("worlds").write_text("no folder")
    assert bytes_of(cached_walk_network(site)) == whole
    assert len(finds) == 2
