"""`autosim check` and `autosim world` on files that are broken, odd, or none at all."""

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from autosim.cli import main
from tests.config.samples import HOUSES, ROBOT, SETUP, WORLD, write
from tests.world.maps import CROSSING, MAPS, osm_text

ODD = sorted(
    path
    for path in (MAPS / "odd").rglob("*")
    if path.is_file() and path.name.endswith((".osm", ".osm.gz", ".osm.pbf"))
)
SOUND = {
    "td_xml/100-correct_but_no_data/data.osm",
    "td_xml/140-unicode/data.osm",
    "td_xml/142-whitespace/data.osm",
    "td_xml/142-whitespace/osmosis-out.osm",
    "td_xml/142-whitespace/out.osm",
    "o2w_huge_areas.osm",
    "made/huge_id.osm",
    "made/negative_ids.osm",
    "made/weird_tags.osm",
    "o2w_josm_emoji.osm",
    "o2w_mp_broken.osm",
    "o2w_sameCoordNodes.osm",
    "missing_members.osm",
    "td_64bit_ids.osm",
    "td_tag_lengths.osm",
    # Faulty objects are left out, with a warning.
    "made/bad_latlon.osm",
    "td_xml/123-unknown_element_in_node/data.osm",
    "td_xml/125-unknown_element_in_relation/data.osm",
    "td_xml/127-missing_member_type/data.osm",
}
"""Files without errors; each of the others must be refused."""
PLACED = re.compile(r":\d+: (error|warning): |(node|way|relation) -?\d+|^[^:]+: (error|warning): ")


def named(path):
    return str(path.relative_to(MAPS / "odd"))


def run(*arguments, cache=None):
    environment = {} if cache is None else {"XDG_CACHE_HOME": str(cache)}
    return CliRunner(env=environment).invoke(main, [str(each) for each in arguments])


def require_explained(result, code):
    """The command ended by itself with `code`, and with words instead of a traceback."""
    assert result.exit_code == code, result.output
    assert result.exception is None or isinstance(result.exception, SystemExit)
    assert "Traceback" not in result.output
    assert code == 0 or result.output.strip()


@pytest.mark.skipif(ODD == [], reason="the shared OSM extracts are not there")
def test_every_odd_file_is_known_to_this_test():
    assert {named(path) for path in ODD} >= SOUND
    assert len(ODD) >= 28


@pytest.mark.parametrize("path", ODD, ids=named)
def test_check_explains_an_odd_file(path):
    result = run("check", path)
    require_explained(result, 0 if named(path) in SOUND else 1)
    for line in result.stdout.splitlines():
        assert PLACED.search(line), line


@pytest.mark.parametrize("path", ODD, ids=named)
def test_check_gives_records_of_an_odd_file(path):
    result = run("check", "--json", path)
    records = json.loads(result.stdout)
    assert any(each["level"] == "error" for each in records) == (named(path) not in SOUND)
    assert all(each.keys() == {"file", "line", "level", "message"} for each in records)


@pytest.mark.parametrize("path", ODD, ids=named)
def test_an_odd_file_becomes_a_world_or_is_refused_with_a_reason(path, tmp_path):
    result = run("world", "build", path, cache=tmp_path)
    is_built = result.exit_code == 0
    require_explained(result, 0 if is_built else 1)
    if is_built:
        assert "used" in result.stdout
    else:
        assert "error: " in result.stderr
    assert is_built or not list(tmp_path.rglob("*.world"))


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("missing_members.osm", "relation 32: 2 of its 2 ways are not in the file"),
        ("o2w_mp_broken.osm", "relation -42: its rings do not close (open at node -28)"),
        ("td_tag_lengths.osm", "there is no street in this map"),
    ],
)
def test_what_is_missing_in_a_readable_map_is_a_warning(name, message):
    if not ODD:
        pytest.skip("the shared OSM extracts are not there")
    result = run("check", MAPS / "odd" / name)
    assert f"warning: {message}" in result.stdout


def cut(text):
    return text[: len(text) * 2 // 3]


def renamed(text):
    return re.sub(r"<(\w+) name=", r"<\1 nmae=", text, count=1)


def doubled(text):
    return text + text


def without_values(text):
    return re.sub(r'(value|x|y|z|path)="[^"]*"', r'\1=""', text)


def body(text):
    return text.replace('<?xml version="1.0"?>\n', "")


def of_another_kind(text):
    return f"<Recipe>\n{body(text)}\n</Recipe>"


def with_a_bomb(text):
    return '<!DOCTYPE a [<!ENTITY b "c">]>\n' + body(text)


@pytest.mark.parametrize("spoil", [cut, doubled, without_values, of_another_kind, with_a_bomb])
@pytest.mark.parametrize(
    "text", [ROBOT, SETUP, WORLD, HOUSES], ids=["robot", "setup", "world", "houses"]
)
def test_a_spoilt_file_of_each_kind_has_its_lines_named(tmp_path, text, spoil):
    path = write(tmp_path, spoil(text))
    result = run("check", path)
    require_explained(result, 1)
    assert re.search(rf"^{re.escape(str(path))}:\d+: error: ", result.stdout, re.MULTILINE)
    records = json.loads(run("check", "--json", path).stdout)
    assert any(each["level"] == "error" and each["line"] > 0 for each in records)


@pytest.mark.parametrize("content", [b"", b"\x00\xff\xfe", b"PK\x03\x04", "städte".encode("cp437")])
@pytest.mark.parametrize("name", ["a.xml", "a.osm", "a.osm.gz", "a.osm.bz2", "a.osm.pbf"])
def test_a_file_that_is_none_of_ours_is_refused(tmp_path, name, content):
    (tmp_path / name).write_bytes(content)
    require_explained(run("check", tmp_path / name), 1)
    require_explained(run("world", "build", tmp_path / name, cache=tmp_path / "cache"), 1)


@pytest.mark.parametrize(
    "command",
    [
        ["check"],
        ["world", "build"],
        ["world", "check"],
        ["world", "info"],
        ["world", "view", "--out", "plan.png"],
        ["world", "export", "--out", "a.glb"],
    ],
    ids=" ".join,
)
@pytest.mark.parametrize("name", ["nothing.osm", "nothing.xml", "folder", "folder.osm"])
def test_what_is_no_file_is_refused(tmp_path, monkeypatch, command, name):
    monkeypatch.chdir(tmp_path)
    for folder in ("folder", "folder.osm"):
        Path(folder).mkdir()
    require_explained(run(*command, name), 1)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["folder", "folder.osm"]


def test_several_files_are_checked_at_once(tmp_path):
    good = write(tmp_path, osm_text(CROSSING), "good.osm")
    bad = write(tmp_path, cut(ROBOT), "bad.xml")
    result = run("check", good, bad)
    assert result.exit_code == 1
    assert str(bad) in result.stdout
    assert str(good) not in result.stdout
    assert "2 files, 1 error, " in result.stderr


@pytest.mark.parametrize("name", ["map", "export.xml"])
def test_a_map_without_its_ending_is_known(tmp_path, name):
    path = tmp_path / name
    path.write_text(
        '<?xml version="1.0"?>\n<osm version="0.6"><node id="1" lat="1" lon="1"/></osm>'
    )
    for command in (["check"], ["world", "info"], ["demo", "--osm"]):
        result = run(*command, path)
        require_explained(result, 1)
        assert "name" in result.output
        assert ".osm" in result.output
