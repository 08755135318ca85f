"""Time headways of followers in towns, as `benchmarks/traffic_flow.py` measures them."""

import importlib

import numpy as np
import pytest

from tests.paths import ROOT, SHARED
from tests.traffic.vehicles.towns import put, run, street, vehicles_on

LIMIT = 13.9


@pytest.fixture
def flow(monkeypatch):
    """The benchmark as a module."""
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    return importlib.import_module("traffic_flow")


def headways_of_platoon(flow, speed):
    """Headways [s] of those that follow a leader at a speed [m/s] on a street without end."""
    count, spacing = 40, 20.0
    roads = street(4000.0)
    vehicles = vehicles_on(roads, count, imperfection=1.0, seed=2)
    for place in range(count):
        put(vehicles, place, 0, count * spacing - spacing * place, speed, imperfection=1.0)
    vehicles.apply_orders(np.array([[0.0, speed, 0.0, -1.0, -1.0, 0.0, 0.0]]))
    run(vehicles, 90.0)
    rows = np.zeros((count, 8))
    return flow.headways_of(roads, rows[: flow.sample(vehicles.town, rows)])


def test_followers_near_their_free_speed_have_headways_of_a_second_and_a_half(flow):
    headways = headways_of_platoon(flow, 0.85 * LIMIT)
    assert len(headways) > 20
    assert np.median(headways) == pytest.approx(1.5, abs=0.2)


def test_those_behind_a_bicycle_are_no_followers(flow):
    assert len(headways_of_platoon(flow, 5.5)) == 0


@pytest.mark.long
@pytest.mark.parametrize(
    ("extract", "count", "median"),
    [("city/monaco.osm.gz", 400, 1.58), ("pbf/helsinki.osm.pbf", 200, 1.66)],
)
def test_headways_of_followers_in_towns(flow, extract, count, median):
    """About 1.5 s, and a little more where the limit is 30 km/h, as in Helsinki."""
    path = SHARED / "osm" / extract
    if not path.exists():
        pytest.skip("the shared OSM extracts are not there")
    words = [str(path), "--minutes", "4", "--vehicles", f"{count}"]
    asked = flow.arguments_parser().parse_args(words)
    traffic, samples, counters = flow.samples_of(str(path), asked)
    headways = flow.headways_of(traffic.vehicles.roads, np.concatenate(samples))
    assert len(headways) > 300
    assert np.median(headways) == pytest.approx(median, abs=0.1)
    assert 0.0 < np.mean(headways < 1.0) < 0.15
    assert counters[0] == 0
