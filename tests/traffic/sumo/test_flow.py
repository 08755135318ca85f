"""Flow of towns at equal density beside SUMO's, as by `benchmarks/fundamental_diagram.py`."""

import importlib
from importlib.util import find_spec

import numpy as np
import pytest

from tests.paths import ROOT, SHARED

if not find_spec("libsumo"):
    pytest.skip("SUMO is not installed", allow_module_level=True)

WORDS = ["--minutes", "3", "--settle", "60"]


@pytest.fixture
def diagram(monkeypatch):
    """The benchmark as a module."""
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    return importlib.import_module("fundamental_diagram")


def speed_ratios(diagram, extract, densities, seeds):
    """Our mean speed by SUMO's at each density: the ratio of flows at equal density."""
    path = SHARED / "osm" / extract
    if not path.exists():
        pytest.skip("the shared OSM extracts are not there")
    asked = diagram.arguments_parser().parse_args([str(path), *WORDS])
    kilometres, found = diagram.lane_kilometres(str(path)), []
    for density in densities:
        count = max(round(density * kilometres), 1)
        means = []
        for engine in diagram.ENGINES:
            runs = [diagram.flow_of(str(path), count, engine, asked, seed) for seed in seeds]
            means.append(np.mean([each.flow / each.density for each in runs]))
            if engine == "autosim":
                assert all(each.collisions == 0 for each in runs)
        found.append(means[0] / means[1])
    return np.array(found)


def test_the_flow_of_a_small_town_is_about_that_of_sumo(diagram):
    """Six vehicles for a short time: single runs differ by up to 25 %."""
    ratios = speed_ratios(diagram, "city/neukolln.osm", [2.0], range(1))
    assert ratios == pytest.approx(1.0, abs=0.4)


@pytest.mark.long
@pytest.mark.parametrize("extract", ["city/neukolln.osm", "city/leeds_cycleway.osm"])
def test_the_flow_of_towns_is_within_a_tenth_of_that_of_sumo(diagram, extract):
    """Ours are faster where streets are free, as SUMO's drivers dawdle, and slower where they are
    full, as SUMO's overlap: the mean over densities counts."""
    ratios = speed_ratios(diagram, extract, [2.0, 5.0, 8.0], range(4))
    assert ratios.mean() == pytest.approx(1.0, abs=0.1)
    assert ratios == pytest.approx(1.0, abs=0.25)
