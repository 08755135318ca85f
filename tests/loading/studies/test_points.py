"""The points of a study: grids, ranges, samples."""

from pathlib import Path

import numpy as np

from autosim.config.studies import Parameter, Study
from autosim.loading.studies.points import points_of


def points(*parameters: Parameter, samples: int = 0, seed: int = 0) -> list[dict[str, str]]:
    study = Study("s", Path("w.xml"), parameters=parameters, samples=samples, sampling_seed=seed)
    return [dict(each) for each in points_of(study)]


def test_all_combinations_of_values_and_ranges_with_a_count_come_once():
    found = points(Parameter("a", ("x", "y")), Parameter("b", low=1.0, high=2.0, count=3))
    assert found[:3] == [{"a": "x", "b": "1"}, {"a": "x", "b": "1.5"}, {"a": "x", "b": "2"}]
    assert len(found) == 6


def test_a_scale_of_ratios_and_whole_numbers():
    (*ratios,) = points(Parameter("a", low=0.1, high=10.0, count=3, is_log=True))
    assert [each["a"] for each in ratios] == ["0.1", "1", "10"]
    whole = points(Parameter("a", low=1.0, high=3.0, count=9, is_whole=True))
    assert [each["a"] for each in whole] == ["1", "2", "3"]


def test_samples_are_a_latin_hypercube_and_follow_from_their_seed():
    two = (Parameter("a", low=0.0, high=1.0), Parameter("b", low=10.0, high=20.0))
    found = points(*two, samples=8)
    for name, low, high in (("a", 0.0, 1.0), ("b", 10.0, 20.0)):
        shares = (np.array([float(each[name]) for each in found]) - low) / (high - low)
        assert sorted(np.floor(8 * shares)) == list(range(8))  # one in each eighth
    assert points(*two, samples=8) == found
    assert points(*two, samples=8, seed=1) != found


def test_each_whole_number_is_drawn_as_often():
    found = points(Parameter("n", low=1.0, high=4.0, is_whole=True), samples=400)
    counts = np.unique([each["n"] for each in found], return_counts=True)[1]
    assert counts.tolist() == [100, 100, 100, 100]


def test_the_grid_is_taken_with_each_sample():
    found = points(Parameter("a", ("1", "2")), Parameter("b", low=0.0, high=1.0), samples=3)
    assert len(found) == 6
    assert {each["a"] for each in found} == {"1", "2"}
    assert len({each["b"] for each in found}) == 3


def test_a_program_chooses_its_own_cases():
    study = Study("s", Path("w.xml"), cases=({"a": 0.5, "b": "x"}, {"a": 2, "b": "y"}))
    assert list(points_of(study)) == [{"a": "0.5", "b": "x"}, {"a": "2", "b": "y"}]
