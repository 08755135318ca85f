"""Windows of maps are tried as `make maps` does, and failing maps become small."""

import numpy as np

from autosim.world.geometry.extent import Window
from autosim.world.osm.osm_reader import read_osm
from autosim.world.pipeline.world_inputs import PIPELINE_VERSION
from tests.maps.__main__ import table
from tests.maps.shrinking import fewest, write_ways
from tests.maps.trial import Finding, Trial, try_window
from tests.maps.trial_log import append_trial, read_trials
from tests.maps.windows import MapWindow, window_of, windows_of
from tests.world.maps import CROSSING, RESIDENTIAL, TOWN, write_map


def test_windows_cover_all_streets_and_are_the_same_for_a_seed():
    found = windows_of(TOWN, seed=1)
    assert found == windows_of(TOWN, seed=1) != windows_of(TOWN, seed=2)
    data = read_osm(TOWN)
    streets = np.vstack([data.places[data.rows(w.refs)] for w in data.ways if "highway" in w.tags])
    per_degree = 111_320.0 * np.array([1.0, np.cos(np.radians(streets[0, 0]))])
    middles = np.array([place.window.centre for place in found])
    reaches = np.array([place.window.size / 2.0 for place in found])
    offsets = np.abs(streets[:, None] - middles) * per_degree
    assert (offsets.max(axis=2) <= reaches).any(axis=1).mean() > 0.95


def test_a_window_is_repeated_by_what_was_printed(tmp_path, monkeypatch):
    monkeypatch.setattr("tests.maps.windows.extracts", lambda: [TOWN])
    place = windows_of(TOWN, seed=4)[0]
    assert window_of(str(place)) == place


def test_a_sound_window_is_driven_through_without_a_finding():
    place = MapWindow(TOWN, Window(*windows_of(TOWN, seed=0)[0].window.centre, 700.0))
    trial = try_window(place)
    assert trial.findings == ()
    assert trial.driven is not None
    assert trial.driven > 50.0
    assert table({place: trial}).splitlines()[-1].split()[:4] == ["all", "1", "1", "1"]


def test_a_window_without_a_street_is_no_finding(tmp_path):
    path = write_map(tmp_path, CROSSING)
    trial = try_window(MapWindow(path, Window(-31.9, 115.827, 600.0)))
    assert not trial.has_streets
    assert trial.findings == ()


def test_a_run_resumes_with_the_windows_of_former_runs(tmp_path, monkeypatch):
    monkeypatch.setattr("tests.maps.windows.extracts", lambda: [TOWN])
    middle = windows_of(TOWN, seed=4)[0].window.centre
    sound, broken, hung = (MapWindow(TOWN, Window(*middle, side)) for side in (600, 700, 800))
    log = tmp_path / "runs" / "trials.jsonl"
    assert read_trials(log) == {}
    trials = {
        sound: Trial(True, 130.5, ()),
        broken: Trial(True, None, (Finding("worst_hop_m", "worst_hop_m 0.1 at the bridge"),)),
    }
    append_trial(log, sound, Trial(True, None, (Finding("crash", "the process ended"),)))
    for place, trial in trials.items():
        append_trial(log, place, trial)
    with log.open("a", encoding="utf-8") as file:
        file.write(f'{{"window": "{hung}", "pipel')
    assert read_trials(log) == trials
    monkeypatch.setattr("tests.maps.trial_log.PIPELINE_VERSION", PIPELINE_VERSION + 1)
    assert read_trials(log) == {sound: trials[sound]}


def test_an_exception_is_found_with_its_place(tmp_path, monkeypatch):
    def fall(*_args, **_options):
        raise ZeroDivisionError("planted")

    monkeypatch.setattr("tests.maps.trial.build_world", fall)
    (found,) = try_window(MapWindow(TOWN, Window(0.0, 0.0, 600.0))).findings
    assert found.kind.startswith("ZeroDivisionError at ")
    assert "planted" in found.text


def test_the_ways_that_a_failure_needs_remain():
    calls = []

    def fails(ways):
        calls.append(len(ways))
        return {3, 40} <= set(ways)

    assert fewest(range(64), fails, tries=500) == [3, 40]
    assert len(calls) < 100
    assert {3, 40} <= set(fewest(range(64), fails, tries=5))


def test_a_map_of_few_ways_has_their_nodes_alone(tmp_path):
    lines = [(((0.0, 10.0 * k), (50.0, 10.0 * k)), RESIDENTIAL) for k in range(5)]
    path = write_map(tmp_path, lines)
    target = tmp_path / "small.osm"
    write_ways(path, target, frozenset({2, 5}))
    data = read_osm(target)
    assert [way.id for way in data.ways] == [2, 5]
    assert len(data.places) == 4
