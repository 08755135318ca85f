"""Fetching a map: from a server that replays a stored answer, and when that fails."""

import gzip
import math
from urllib.parse import parse_qs, urlsplit

import pytest
from click.testing import CliRunner

from autosim.cli import main
from tests.applications.osm_replay import ANSWER, replaying

BOX = "115.825,-31.975,115.83,-31.971"


@pytest.fixture
def server():
    with replaying() as replay:
        yield replay


def fetch(server, *arguments):
    environment = {"AUTOSIM_OSM_SERVER": server.address, "AUTOSIM_PLACE_SERVER": server.address}
    command = ["world", "fetch", *map(str, arguments)]
    return CliRunner(env=environment).invoke(main, command, catch_exceptions=False)


def test_a_box_becomes_a_file_as_the_server_sent_it(server, tmp_path):
    out = tmp_path / "new" / "town.osm"
    result = fetch(server, "--bbox", BOX, "--out", out)
    assert result.exit_code == 0, result.stderr
    assert out.read_text() == ANSWER
    assert "4 nodes, 2 ways" in result.stdout
    assert "OpenStreetMap contributors" in result.stdout
    ((path, agent),) = server.requests
    assert parse_qs(urlsplit(path).query) == {"bbox": [BOX]}
    assert agent.startswith("AutoSim/")


def test_a_packed_file_is_packed(server, tmp_path):
    out = tmp_path / "town.osm.gz"
    assert fetch(server, "--bbox", BOX, "--out", out).exit_code == 0
    assert gzip.decompress(out.read_bytes()).decode() == ANSWER


def test_a_place_is_found_and_fetched_about_its_middle(server, tmp_path):
    result = fetch(server, "--place", "Ring Town", "--side", 800, "--out", tmp_path / "t.osm")
    assert result.exit_code == 0, result.stderr
    assert "Ring Town, Western Australia" in result.stderr
    search, download = (path for path, _ in server.requests)
    assert parse_qs(urlsplit(search).query)["q"] == ["Ring Town"]
    west, south, east, north = map(float, parse_qs(urlsplit(download).query)["bbox"][0].split(","))
    assert (north - south) * 111_195.0 == pytest.approx(800.0, abs=0.1)
    across = (east - west) * 111_195.0 * math.cos(math.radians(-31.973))
    assert across == pytest.approx(800.0, abs=0.1)
    assert (west + east) / 2.0 == pytest.approx(115.8275)


def test_what_was_fetched_becomes_a_world(server, tmp_path):
    out = tmp_path / "town.osm"
    fetch(server, "--bbox", BOX, "--out", out)
    result = CliRunner().invoke(main, ["world", "check", str(out)], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    assert "4 nodes, 2 ways" in result.stdout


@pytest.mark.parametrize(
    ("status", "body", "words"),
    [
        (400, b"You requested too many nodes (limit is 50000).", "choose a smaller one"),
        (429, b"", "wait a while"),
        (509, b"You have downloaded too much data.", "downloaded too much"),
        (500, b"<html>oops</html>", "status 500"),
        (200, ANSWER[:700].encode(), "sent no usable map"),
        (200, b"<html><body>log in to this hotel's network</body></html>", "sent no usable map"),
        (200, b"", "sent no usable map"),
        (200, b'<osm version="0.6"></osm>', "nothing is mapped"),
    ],
)
def test_a_refusal_is_explained_and_leaves_no_file(server, tmp_path, status, body, words):
    server.answers["/api/0.6/map"] = (status, body)
    result = fetch(server, "--bbox", BOX, "--out", tmp_path / "t.osm")
    assert result.exit_code == 1
    assert words in result.stderr
    assert "Traceback" not in result.output
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("body", "words"),
    [(b"[]", "no place called"), (b"{}", "no answer about places"), (b"<a/>", "no answer about")],
)
def test_a_place_that_is_not_found_is_said(server, tmp_path, body, words):
    server.answers["/search"] = (200, body)
    result = fetch(server, "--place", "Atlantis", "--out", tmp_path / "t.osm")
    assert result.exit_code == 1
    assert words in result.stderr
    assert len(server.requests) == 1


def test_without_a_network_a_clear_word_is_said(tmp_path):
    command = ["world", "fetch", "--bbox", BOX, "--out", str(tmp_path / "t.osm")]
    result = CliRunner().invoke(main, [*command, "--server", "http://127.0.0.1:9"])
    assert result.exit_code == 1
    assert "is there a network?" in result.stderr


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["--bbox", "1,2,3,4"], 1, "square degrees"),
        (["--bbox", "3,2,1,4"], 1, "west < east"),
        (["--bbox", "1,4,3,2"], 1, "south < north"),
        (["--bbox", "nan,4,3,2"], 1, "west < east"),
        (["--bbox", "1,2,3"], 2, "four numbers"),
        ([], 2, "--bbox or --place"),
        (["--bbox", BOX, "--place", "x"], 2, "--bbox or --place"),
        (["--bbox", BOX, "--server", "file:///etc/passwd"], 1, "address of a server"),
    ],
)
def test_what_cannot_be_asked_is_not_asked(server, tmp_path, arguments, code, words):
    result = fetch(server, *arguments, "--out", tmp_path / "t.osm")
    assert result.exit_code == code
    assert words in result.output
    assert server.requests == []


def test_a_file_of_another_kind_is_refused_before_anything_is_asked(server, tmp_path):
    result = fetch(server, "--place", "Ring Town", "--out", tmp_path / "town.txt")
    assert result.exit_code == 1
    assert ".osm.gz" in result.stderr
    assert server.requests == []
