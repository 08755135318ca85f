"""Lamps, day times and weathers as each renderer draws them."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from tests.paths import ROOT

pytest.importorskip("panda3d")

DRAW = ROOT / "tests/client" / "draw_lights.py"


def drawn(renderer: str, folder: Path) -> dict[str, np.ndarray]:
    file = folder / "pictures.npz"
    done = subprocess.run(
        [sys.executable, str(DRAW), renderer, str(file)],
        cwd=ROOT,
        env={**os.environ, "DISPLAY": "", "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    with np.load(file) as loaded:
        return {name: loaded[name][..., :3].astype(float) for name in loaded.files}


@pytest.fixture(scope="module")
def shaded(tmp_path_factory):
    """Pictures of a renderer with shaders."""
    return drawn("p3headlessgl", tmp_path_factory.mktemp("shaded"))


@pytest.fixture(scope="module")
def plain(tmp_path_factory):
    """Pictures of one without."""
    return drawn("p3tinydisplay", tmp_path_factory.mktemp("plain"))


@pytest.fixture(params=["shaded", "plain"])
def pictures(request):
    return request.getfixturevalue(request.param)


def red(picture):
    return (picture[..., 0] > picture[..., 2] + 60).sum()


def test_a_lamp_that_is_lit_is_seen_by_day_and_by_night(pictures):
    assert red(pictures["day lit"]) > red(pictures["day"]) + 10
    assert red(pictures["night tail"]) > red(pictures["night"]) + 10


def test_half_the_intensity_is_less_light(pictures):
    full, half, none = (pictures[name].sum() for name in ("night tail", "night half", "night"))
    assert none < half < full


def test_a_lamp_is_not_seen_from_behind(pictures):
    np.testing.assert_array_equal(pictures["night tail ahead"], pictures["night ahead"])


def test_night_is_dark_and_noon_is_bright(pictures):
    assert pictures["night"].mean() < 0.35 * pictures["noon"].mean()


def test_the_way_back_leads_to_the_same_bytes(pictures):
    np.testing.assert_array_equal(pictures["night head again"], pictures["night head"])
    np.testing.assert_array_equal(pictures["day again"], pictures["day"])
    np.testing.assert_array_equal(pictures["rain again"], pictures["rain"])
    np.testing.assert_array_equal(pictures["rain later again"], pictures["rain later"])


def test_head_lights_light_the_road_ahead_and_not_the_sky(shaded):
    gain = shaded["night head ahead"] - shaded["night ahead"]
    road, sky = gain[75:105, 50:110], gain[:40]
    assert road.mean() > 25
    assert np.abs(sky).max() < 3


def test_by_day_head_lights_cost_no_light(shaded):
    change = np.abs(shaded["day lit ahead"] - shaded["day ahead"])
    assert change.max() == 0


def test_fog_hides_what_is_far(shaded):
    clear, fog = shaded["day ahead"], shaded["fog ahead"]
    houses = np.s_[35:60, :]
    assert fog[houses].std() < 0.4 * clear[houses].std()


def test_a_wet_road_mirrors_the_sky(shaded):
    change = np.abs(shaded["wet ahead"] - shaded["dry ahead"]).mean(axis=2)
    road, sky = change[66:90, 60:100], change[:30]
    assert road.mean() > 4
    assert sky.max() == 0


def test_snow_lies_on_what_looks_up(shaded):
    before, after = shaded["dry ahead"], shaded["white ahead"]
    ground, walls = np.s_[75:90], np.s_[40:58, :40]
    assert (after - before)[ground].mean() > 30
    # It is bright, and hardly green any more.
    assert np.abs(after[ground][..., 1] - after[ground][..., 0]).mean() < 12
    assert np.abs(after - before)[walls].mean() < 12


def test_a_street_lamp_lights_the_street_below_it_by_night(shaded):
    gain = shaded["lamp night"] - shaded["night ahead"]
    street, sky = gain[66:80, 60:100], gain[:8]
    assert street.mean() > 12
    # Its light is warm.
    assert street[..., 0].mean() > 1.2 * street[..., 2].mean()
    assert np.abs(sky).mean() < 1


def test_a_street_lamp_does_not_shine_by_day(shaded):
    street = np.s_[75:110]
    assert np.abs(shaded["lamp noon"][street] - shaded["noon ahead"][street]).mean() < 1.0


def test_automatic_head_lights_shine_by_night_and_not_by_day(shaded):
    road = np.s_[75:105, 50:110]
    assert (shaded["automatic night"] - shaded["night ahead"])[road].mean() > 25
    np.testing.assert_array_equal(shaded["automatic noon"], shaded["noon ahead"])


@pytest.mark.parametrize("weather", ["rain", "snow"])
def test_what_falls_is_seen_against_the_houses(shaded, weather):
    ground = "wet" if weather == "rain" else "dry"
    change = np.abs(shaded[weather] - shaded[ground]).max(axis=2)
    assert 0.005 < (change > 8).mean() < 0.4


def test_rain_falls_in_simulated_time(shaded):
    change = np.abs(shaded["rain later"] - shaded["rain"]).max(axis=2)
    assert (change > 8).mean() > 0.005


@pytest.mark.parametrize("place", ["deck", "tunnel"])
@pytest.mark.parametrize(("weather", "ground"), [("rain", "wet"), ("snow", "dry")])
def test_nothing_falls_below_a_roof(shaded, place, weather, ground):
    np.testing.assert_array_equal(shaded[f"{place} {weather}"], shaded[f"{place} {ground}"])


def test_the_road_in_a_tunnel_stays_dry_and_is_lit_by_day_as_by_night(shaded):
    road = np.s_[90:, 40:120]
    noon = shaded["tunnel noon"][road]
    assert 20 < noon.mean() < 0.7 * shaded["noon ahead"][road].mean()
    for name in ("tunnel wet", "tunnel night"):
        assert np.abs(shaded[name][road] - noon).max() <= 2
