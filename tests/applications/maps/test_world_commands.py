"""`autosim world check`, `info`, `view` and `export` at the command line."""

import json
from dataclasses import replace

import numpy as np
import pytest
from click.testing import CliRunner
from PIL import Image

from autosim.applications.common.open_worlds import open_named_world
from autosim.cli import main
from autosim.world.osm.osm_reader import read_osm
from autosim.world.pipeline.cache import compile_world, compiled_path, save_compiled_world
from tests.world.maps import CROSSING, ORIGIN, RESIDENTIAL, write_map
from tests.world.opendrive.files import straight

FIRST_BYTES = {"glb": b"glTF", "geojson": b"{", "xodr": b"<?xml"}
INVARIANTS = {
    "open_edges",
    "non_manifold_edges",
    "road_slivers",
    "missed_rays",
    "grade_p99",
    "min_clearance_m",
}


@pytest.fixture(scope="module")
def town(tmp_path_factory):
    folder = tmp_path_factory.mktemp("town")
    street = (((50.0, 20.0), (80.0, 20.0)), {"highway": "proposed"})
    house = ((20.0, 20.0), (40.0, 20.0), (40.0, 40.0), (20.0, 40.0), (20.0, 20.0))
    return write_map(folder, [*CROSSING, street, (house, {"building": "yes"})])


@pytest.fixture
def run(monkeypatch, tmp_path_factory):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))

    def command(*arguments):
        return CliRunner().invoke(main, ["world", *map(str, arguments)], catch_exceptions=False)

    return command


def test_check_names_every_invariant_and_every_object(run, town):
    result = run("check", town, "--json")
    assert result.exit_code == 0, result.output
    record = json.loads(result.stdout)
    assert record.keys() >= INVARIANTS | {"used", "ignored", "broken"}
    assert record["min_clearance_m"] is None
    assert record["used"] == {"nodes": 9, "ways": 3, "relations": 0}
    assert record["ignored"] == {"ways: highway=proposed": 1, "nodes: of ways that are not used": 2}


def test_check_says_the_same_to_people(run, town):
    result = run("check", town)
    assert "ok        open_edges 0" in result.stdout
    assert "1 ways: highway=proposed" in result.stdout


def test_check_fails_where_an_invariant_is_broken(run, town):
    terrain = open_named_world(town).terrain
    world = compile_world(terrain)
    broken = tuple(
        (name, 3.0 if name == "missed_rays" else value) for name, value in world.invariants
    )
    save_compiled_world(replace(world, invariants=broken), compiled_path(terrain))
    result = run("check", town, "--json")
    assert result.exit_code == 1
    assert json.loads(result.stdout)["broken"] == ["missed_rays"]
    assert "broken    missed_rays 3" in run("check", town).stdout


def test_check_links_to_the_ways_of_a_broken_place_and_says_what_to_do(run, town):
    terrain = open_named_world(town).terrain
    world = compile_world(terrain)
    values = dict(world.invariants) | {"worst_hop_m": 0.4}
    cause = "a step of 0.40 m between way 12 and way 34, with ways 34 and 56 beside it"
    save_compiled_world(
        replace(
            world,
            invariants=tuple(values.items()),
            worst_places=(("worst_hop_m", -31.9728, 115.827),),
            worst_causes=(("worst_hop_m", cause),),
        ),
        compiled_path(terrain),
    )
    lines = run("check", town).stdout.splitlines()
    links = [line.split()[1] for line in lines if line.startswith("look ")]
    assert links == [
        "https://www.openstreetmap.org/way/12",
        "https://www.openstreetmap.org/way/34",
        "https://www.openstreetmap.org/way/56",
        "https://www.openstreetmap.org/edit#map=19/-31.97280/115.82700",
    ]
    assert any("docs/your_town_in_five_minutes.md" in line for line in lines)


def test_a_window_is_a_world_of_its_own(run, town):
    whole = json.loads(run("info", town, "--json").stdout)
    window = ("--window", "-31.9728,115.827,160")
    part = json.loads(run("info", town, "--json", *window).stdout)
    assert part["digest"] != whole["digest"]
    x_min, y_min, x_max, y_max = part["bounds_m"]
    assert (x_max - x_min, y_max - y_min) == pytest.approx((160.0, 160.0))
    assert sum(part["lane_metres"].values()) < 0.5 * sum(whole["lane_metres"].values())
    assert run("check", town, *window).exit_code == 0


@pytest.mark.parametrize(
    "window", ["1,2", "a,b,c", "91,0,500", "0,181,500", "0,0,1", "0,0,nan", "0,0,1e6"]
)
def test_a_window_that_is_none_is_refused(run, town, window):
    result = run("check", town, "--window", window)
    assert result.exit_code == 2
    assert "--window" in result.stderr


@pytest.mark.parametrize("side", ["500", "26000"])
def test_a_window_where_nothing_is_has_no_street(run, town, side):
    result = run("check", town, "--window", f"0,0,{side}")
    assert result.exit_code == 1
    assert "no street in the window, whose middle is 0.00000,0.00000" in result.stderr
    assert "the nearest one of this map is at -31.97" in result.stderr


def test_info_says_what_is_there(run, town):
    record = json.loads(run("info", town, "--json").stdout)
    assert record["lanes"] == 8
    assert record["lane_metres"].keys() == {"residential"}
    assert 700.0 < record["lane_metres"]["residential"] < 960.0
    assert (record["buildings"], record["houses"]) == (1, 0)
    assert record["driving_side"] == "left"
    assert record["controls"]["equal"] == 4
    assert record["conflicts"] > 20
    assert record["restrictions"] == 0
    assert record["friction_metres"].keys() == {"1.00"}
    south, west, north, east = record["bounds_deg"]
    assert south < -31.9728 < north
    assert west < 115.827 < east
    assert record["sources"]["osm"] == str(town)
    assert "OpenStreetMap" in record["attribution"]
    text = run("info", town).stdout
    assert "residential" in text
    assert "left-hand traffic" in text
    assert "4 equal" in text


def test_info_prints_the_origin_which_is_not_the_middle_of_the_map(run, tmp_path):
    far = (((40.0, 0.0), (440.0, 0.0)), RESIDENTIAL)
    near = [(((10.0 * k, -30.0), (10.0 * k, 0.0)), RESIDENTIAL) for k in range(5)]
    path = write_map(tmp_path, [far, *near])
    data = read_osm(path)
    nodes = np.vstack([data.places[data.rows(way.refs)] for way in data.ways])
    latitude, longitude = np.median(nodes, axis=0)
    bounds = json.loads(run("info", path, "--json").stdout)["bounds_deg"]
    assert (bounds[1] + bounds[3]) / 2.0 - longitude > 0.001
    assert f"origin    {latitude:.7f} {longitude:.7f}, which is x = 0" in run("info", path).stdout
    part = run("info", path, "--window", "-31.97280,115.82750,300").stdout
    assert "origin    -31.9728000 115.8275000, which is x = 0" in part


def test_info_knows_no_origin_of_a_map_without_a_place(run, tmp_path):
    path = tmp_path / "road.xodr"
    path.write_text(straight().replace("+proj=tmerc +lat_0=50 +lon_0=8", ""), encoding="utf-8")
    text = run("info", path).stdout
    assert "origin    unknown: the map states no latitude and longitude" in text


def test_view_draws_a_plan(run, town, tmp_path):
    result = run("view", town, "--out", tmp_path / "plans" / "plan.png", "--size", "300")
    assert result.exit_code == 0, result.output
    with Image.open(tmp_path / "plans" / "plan.png") as plan:
        assert max(plan.size) == 300


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        ([], 2, "nothing to draw"),
        (["--out", "plan.gif"], 1, "expected a name that ends in .png or .svg"),
        (["--3d", "view.svg"], 1, "expected a name that ends in .png"),
        (["--3d", "view.png", "--renderer", "nothing"], 1, "there is no renderer 'nothing'"),
    ],
)
def test_view_says_what_it_cannot_draw(run, town, tmp_path, monkeypatch, arguments, code, words):
    monkeypatch.chdir(tmp_path)
    result = run("view", town, *arguments)
    assert result.exit_code == code
    assert words in result.stderr
    assert not any(tmp_path.iterdir())


@pytest.mark.parametrize("kind", ["glb", "geojson", "xodr"])
def test_export_writes_a_file_or_says_why_not(run, town, tmp_path, kind):
    out = tmp_path / f"town.{kind}"
    result = run("export", town, "--out", out)
    assert result.exit_code == 0, result.output
    assert out.stat().st_size > 1000
    assert out.read_bytes().startswith(FIRST_BYTES[kind])
    (tmp_path / "taken").write_text("a file")
    result = run("export", town, "--to", kind, "--out", tmp_path / "taken" / "town")
    assert result.exit_code == 1
    assert "cannot be written" in result.stderr


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (
            ["--out", "town.obj"],
            "town.obj: expected a name that ends in .glb or .geojson or .osm or .xodr",
        ),
        (["--out", "town"], "town: expected a name that ends in .glb or .geojson or .osm or .xodr"),
        (["--out", "town.obj", "--to", "glb"], "town.obj: expected a name that ends in .glb"),
        (["--out", "town.glb", "--to", "xodr"], "town.glb: expected a name that ends in .xodr"),
    ],
    ids=" ".join,
)
def test_export_refuses_names_that_belie_what_is_in_them(
    run, tmp_path, monkeypatch, arguments, words
):
    monkeypatch.chdir(tmp_path)
    result = run("export", "there_is_no_such.osm", *arguments)
    assert result.exit_code == 1
    assert words in result.stderr
    assert not any(tmp_path.iterdir())


def test_a_view_is_drawn_from_a_place(run, town, tmp_path):
    pytest.importorskip("panda3d")
    file = tmp_path / "street.png"
    place = "{},{},2".format(*ORIGIN)
    done = run("view", town, "--3d", file, "--at", place, "--heading", "90", "--pitch", "-5")
    assert done.exit_code == 0, done.output
    picture = np.asarray(Image.open(file)).astype(int)
    sky, street = picture[:200].mean(axis=(0, 1)), picture[-100:, 500:700].mean(axis=(0, 1))
    assert sky[2] > sky[0] + 20
    assert np.ptp(street) < 25


@pytest.mark.parametrize("words", [[], ["--place", " "], ["--place", "x", "--bbox", "1,2,3,4"]])
def test_a_map_is_fetched_of_one_place(run, tmp_path, words):
    done = run("fetch", *words, "--out", tmp_path / "map.osm")
    assert done.exit_code == 2
    assert "give either --bbox or --place" in done.stderr


def test_a_view_names_the_models_that_it_cannot_show(run, tmp_path):
    pytest.importorskip("panda3d")
    tags = {"filePath": "no/such/model", "rotY": "0", "sizeX": "8", "sizeY": "6", "sizeZ": "8"}
    house = {"name": "cottage", "landuse": "residential", **tags}
    town = write_map(tmp_path, CROSSING, nodes=[((30.0, 30.0), house)])
    done = run("view", town, "--3d", tmp_path / "view.png")
    assert done.exit_code == 0, done.output
    assert "model 'no/such/model' is not shown" in done.stderr


@pytest.mark.parametrize("place", ["1", "1,2,3,4", "95,0", "a,b", "1,2,nan"])
def test_a_place_that_is_none_is_refused(run, town, place):
    done = run("view", town, "--3d", "x.png", "--at", place)
    assert done.exit_code == 2
    assert "LAT,LON" in done.output or "are not a position" in done.output


def test_a_place_far_from_the_map_is_refused(run, town):
    done = run("view", town, "--3d", "x.png", "--at", "115.827,-31.9728,2")
    assert done.exit_code == 2  # no latitude
    done = run("view", town, "--3d", "x.png", "--at", "0,0")
    assert done.exit_code == 1
    assert "0,0 is far from 'map', which lies about -31.97" in done.stderr
