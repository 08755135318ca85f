"""What is written: everything that was there, in order, and the new houses; and only then."""

import gzip
import os
import re
from pathlib import Path

import osmium
import pytest
from lxml import etree

from autosim.config.diagnostics import Diagnostics
from autosim.config.files.lookup import find_file, search_roots
from autosim.tools.osm_manipulator import packing
from autosim.tools.osm_manipulator.furnish_options import DEFAULT_HOUSE_LIST, FurnishRequest
from autosim.tools.osm_manipulator.manipulator import furnish, write_furnished
from autosim.tools.osm_manipulator.manipulator_errors import CancelledError, ManipulatorError
from autosim.world.osm.osm_reader import read_osm
from autosim.world.pipeline.world_pipeline import build_world
from tests.tools.houses import furnish_file, house_list, read_houses
from tests.world.maps import ORIGIN

LAT, LON = ORIGIN
STREET = """
  <way id="{w}" version="7" timestamp="2019-03-04T05:06:07Z" changeset="99" uid="5"
    user="Åsa &amp; Bo" visible="true"><nd ref="{a}"/><nd ref="{b}"/>
    <tag k="name" v="Straße &lt;1&gt; &quot;x&quot;"/><tag k="highway" v="residential"/></way>"""


def map_text(a="1", b="2", w="1", root='version="0.6"', extra=""):
    return f"""<?xml version="1.0" encoding="UTF-8"?>
<!-- drawn by hand -->
<osm {root}>
  <note>The data included in this document is from www.openstreetmap.org.</note>
  <bounds minlat="{LAT - 0.001}" minlon="{LON - 0.002}" maxlat="{LAT + 0.001}"
    maxlon="{LON + 0.002}"/>
  <!-- kept -->{extra}
  <node id="{a}" version="3" lat="{LAT}" lon="{LON - 0.0016}" uid="5" user="me"/>
  <node id="{b}" version="1" lat="{LAT}" lon="{LON + 0.0016}"/>{STREET.format(a=a, b=b, w=w)}
</osm>"""


def furnished(folder, text, name="map.osm", target="out.osm", **options):
    original = folder / name
    original.write_bytes(text if isinstance(text, bytes) else text.encode())
    furnish_file(original, folder / target, house_list(folder), **options)
    return folder / target


def objects(path):
    """(kind, id, attributes, tags, refs or members) of all objects of an XML file."""
    found = []
    for item in etree.parse(str(path)).getroot():
        if item.tag in ("node", "way", "relation"):
            tags = [(tag.get("k"), tag.get("v")) for tag in item.iter("tag")]
            others = [dict(each.attrib) for each in item if each.tag != "tag"]
            found.append((item.tag, int(item.get("id")), dict(item.attrib), tags, others))
    return found


def test_everything_that_was_there_is_there_still(tmp_path):
    root = (
        'version="0.6" generator="CGImap 0.8" copyright="OpenStreetMap" attribution="a" license="l"'
    )
    target = furnished(tmp_path, map_text(root=root))
    before, after = objects(tmp_path / "map.osm"), objects(target)
    new = [each for each in after if each not in before]
    assert [each for each in after if each in before] == before
    assert len(new) > 10
    assert all("filePath" in dict(tags) for _, _, _, tags, _ in new)
    written = etree.parse(str(target)).getroot().attrib
    assert {"copyright": "OpenStreetMap", "attribution": "a", "license": "l"}.items() <= set(
        written.items()
    )
    assert written["generator"].startswith("CGImap 0.8")
    text = target.read_text(encoding="utf-8")
    for kept in ("drawn by hand", "<!-- kept -->", "<note>", "<bounds", "Åsa &amp; Bo"):
        assert kept in text


def test_made_up_houses_are_kept_off_the_server(tmp_path):
    target = furnished(tmp_path, map_text(root='version="0.6" upload="true"'))
    assert etree.parse(str(target)).getroot().get("upload") == "never"


def test_new_nodes_carry_the_tags_of_table_c3_and_what_josm_needs(tmp_path):
    target = furnished(tmp_path, map_text())
    (kind, number, attributes, tags, _) = next(
        each for each in objects(target) if ("landuse", "residential") in each[3]
    )
    assert kind == "node"
    assert number == 3
    assert set(attributes) == {"id", "version", "lat", "lon"}
    assert [key for key, _ in tags] == [
        "filePath",
        "fileType",
        "landuse",
        "name",
        "rotY",
        "sizeX",
        "sizeY",
        "sizeZ",
    ]


def test_ids_go_on_above_the_highest_of_a_large_one(tmp_path):
    target = furnished(tmp_path, map_text(a="5000000000", b="12"))
    ids = [house.id for house in read_houses(target)]
    assert ids == list(range(5000000001, 5000000001 + len(ids)))


def test_where_no_ids_are_left_it_says_so(tmp_path):
    with pytest.raises(ManipulatorError, match="no ids"):
        furnished(tmp_path, map_text(a=str(2**63 - 3)))
    assert not (tmp_path / "out.osm").exists()


def test_negative_ids_stay_and_houses_get_positive_ones(tmp_path):
    target = furnished(tmp_path, map_text(a="-4", b="-3", w="-9"))
    assert [number for kind, number, *_ in objects(target) if kind == "way"] == [-9]
    assert [house.id for house in read_houses(target)][:2] == [1, 2]
    nodes = [number for kind, number, *_ in objects(target) if kind == "node"]
    assert nodes[:3] == [-3, -4, 1]
    # The order in which libosmium assembles areas, which it does only where order is kept.
    assert any(item.is_way() for item in osmium.FileProcessor(str(target)).with_areas())


UNSORTED = f"""<osm version="0.6">
  <relation id="8" version="1"><member type="way" ref="6" role="x"/>
    <tag k="type" v="route"/></relation>
  <way id="6" version="2"><nd ref="20"/><nd ref="10"/><tag k="highway" v="residential"/></way>
  <node id="20" version="1" lat="{LAT}" lon="{LON - 0.0016}"/>
  <way id="4" version="2"><nd ref="10"/><nd ref="20"/></way>
  <node id="10" version="1" lat="{LAT}" lon="{LON + 0.0016}"/>
</osm>"""


def test_an_unsorted_file_is_sorted(tmp_path):
    target = furnished(tmp_path, UNSORTED)
    order = [(kind, number) for kind, number, *_ in objects(target)]
    assert order[:2] == [("node", 10), ("node", 20)]
    assert order[-3:] == [("way", 4), ("way", 6), ("relation", 8)]
    ranks = [(("node", "way", "relation").index(kind), number) for kind, number in order]
    assert ranks == sorted(ranks)
    # Each way sees its nodes: they come before it.
    processor = osmium.FileProcessor(str(target)).with_locations()
    assert all(n.location.valid() for item in processor if item.is_way() for n in item.nodes)


OLD = f"""<osm version="0.5" generator="JOSM">
  <node id="1" timestamp="2008-01-02T03:04:05+01:00" lat="{LAT}" lon="{LON - 0.0016}"/>
  <node id="2" timestamp="yesterday" lat="{LAT}" lon="{LON + 0.0016}"/>
  <way id="5" action="modify" user="me"><nd ref="1"/><nd ref="2"/>
    <tag k="highway" v="residential"/></way>
</osm>"""


def test_version_0_5_becomes_what_readers_of_0_6_take(tmp_path):
    target = furnished(tmp_path, OLD)
    assert etree.parse(str(target)).getroot().get("version") == "0.6"
    found = {(kind, number): attributes for kind, number, attributes, *_ in objects(target)}
    assert found["node", 1]["timestamp"] == "2008-01-02T02:04:05Z"
    assert "timestamp" not in found["node", 2]
    assert all(attributes["version"] == "1" for attributes in found.values())
    assert found["way", 5]["user"] == "me"
    assert len(read_houses(target)) > 10


@pytest.mark.parametrize("ending", ["osm", "osm.gz", "osm.bz2", "osm.pbf"])
@pytest.mark.parametrize("source", ["osm", "osm.gz", "osm.bz2", "osm.pbf"])
def test_every_kind_of_file_comes_in_and_goes_out(tmp_path, source, ending):
    plain = furnished(tmp_path, map_text(), target="plain.osm")
    original = tmp_path / f"source.{source}"
    packing.write_map(original, [map_text().encode()])
    target = tmp_path / f"target.{ending}"
    furnish_file(original, target, house_list(tmp_path))
    assert [h.tags for h in read_houses(target)] == [h.tags for h in read_houses(plain)]
    data = read_osm(target)
    assert not [finding for finding in data.findings if finding.level == "error"]
    assert data.bounds == pytest.approx((LAT - 0.001, LON - 0.002, LAT + 0.001, LON + 0.002))
    ways = [
        (way.version, way.changeset, way.uid, way.user, way.tags["name"])
        for way in osmium.FileProcessor(str(target))
        if way.is_way()
    ]
    assert ways == [(7, 99, 5, "Åsa & Bo", 'Straße <1> "x"')]


@pytest.mark.parametrize("ending", ["osm", "osm.gz", "osm.bz2", "osm.pbf"])
def test_a_second_run_gives_the_same_bytes(tmp_path, ending):
    first = furnished(tmp_path, map_text(), target=f"first.{ending}")
    os.utime(tmp_path / "map.osm", (1, 1))
    second = furnished(tmp_path, map_text(), target=f"second.{ending}")
    assert first.read_bytes() == second.read_bytes()
    other = furnished(tmp_path, map_text(), target=f"other.{ending}", seed=1)
    assert first.read_bytes() != other.read_bytes()


def test_furnishing_twice_puts_nothing_on_top(tmp_path):
    once = furnished(tmp_path, map_text())
    furnish_file(once, tmp_path / "twice.osm", house_list(tmp_path))
    assert len(read_houses(tmp_path / "twice.osm")) == len(read_houses(once))
    generator = etree.parse(str(tmp_path / "twice.osm")).getroot().get("generator")
    assert generator.count("AutoSim") == 1


def test_the_original_is_not_touched_and_cannot_be_the_target(tmp_path):
    original = tmp_path / "map.osm"
    text = map_text().encode()
    target = furnished(tmp_path, text)
    assert original.read_bytes() == text
    found = furnish(FurnishRequest(original, house_list(tmp_path)))
    (tmp_path / "link.osm").symlink_to(original)
    (tmp_path / "hard.osm").hardlink_to(original)
    for same in ("map.osm", "link.osm", "hard.osm", "../" + tmp_path.name + "/map.osm"):
        with pytest.raises(ManipulatorError, match="choose another name"):
            write_furnished(found, tmp_path / same)
    assert original.read_bytes() == text
    assert target.exists()


@pytest.mark.parametrize("name", ["map.txt", "map", "houses.xml"])
def test_a_target_that_is_no_map_is_refused(tmp_path, name):
    with pytest.raises(ManipulatorError, match="not a map file"):
        furnished(tmp_path, map_text(), target=name)


def test_who_reads_the_old_file_while_it_is_replaced_reads_it_whole(tmp_path):
    target = tmp_path / "out.osm"
    target.write_bytes(b"old")
    with target.open("rb") as reader:
        furnished(tmp_path, map_text())
        assert reader.read() == b"old"
    assert target.read_bytes().startswith(b"<?xml")


def leftovers(folder):
    return {path.name for path in folder.iterdir()} - {"map.osm", "houses.xml", "out.osm"}


@pytest.mark.parametrize("ending", ["osm", "osm.pbf"])
def test_what_was_there_stays_until_all_is_written(tmp_path, monkeypatch, ending):
    found = furnish(FurnishRequest(_written(tmp_path, map_text()), house_list(tmp_path)))
    target = tmp_path / f"out.{ending}"
    target.write_bytes(b"precious")

    def full_disk(descriptor):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(packing.os, "fsync", full_disk)
    with pytest.raises(ManipulatorError, match="No space left"):
        write_furnished(found, target)
    assert target.read_bytes() == b"precious"
    assert leftovers(tmp_path) <= {target.name}


def test_whoever_calls_writing_off_finds_what_was_there(tmp_path):
    found = furnish(FurnishRequest(_written(tmp_path, map_text()), house_list(tmp_path)))
    target, shares = tmp_path / "out.osm", []
    write_furnished(found, target, lambda step, share: shares.append(share))
    assert shares[-1] == 1.0
    target.write_bytes(b"precious")
    for number in range(len(shares)):
        signs = iter(range(len(shares)))

        def progress(step, share, *, signs=signs, number=number):
            if next(signs) == number:
                raise CancelledError("cancelled")

        with pytest.raises(CancelledError):
            write_furnished(found, target, progress)
        assert target.read_bytes() == b"precious"


def test_cancelling_while_writing_leaves_nothing(tmp_path):
    found = furnish(FurnishRequest(_written(tmp_path, map_text()), house_list(tmp_path)))

    def progress(step, share):
        if share >= 0.5:
            raise CancelledError("cancelled")

    with pytest.raises(CancelledError):
        write_furnished(found, tmp_path / "out.osm", progress)
    assert {path.name for path in tmp_path.iterdir()} == {"map.osm", "houses.xml"}


def _written(folder: Path, text: str) -> Path:
    path = folder / "map.osm"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_deleted_object_stays_marked_and_blocks_nothing(tmp_path):
    ghost = f'\n<node id="77" version="1" action="delete" lat="{LAT + 0.0001}" lon="{LON}"/>'
    target = furnished(tmp_path, map_text(extra=ghost))
    found = {number: attributes for kind, number, attributes, *_ in objects(target)}
    assert found[77]["action"] == "delete"
    assert min(house.id for house in read_houses(target)) == 78


def test_incomplete_ways_are_kept_and_reported(tmp_path):
    extra = '\n<way id="3" version="1"><nd ref="1"/><nd ref="404"/></way>'
    original = _written(tmp_path, map_text().replace("</osm>", f"{extra}</osm>"))
    found = furnish(FurnishRequest(original, house_list(tmp_path)))
    assert any("way 3" in warning.message for warning in found.warnings)
    write_furnished(found, tmp_path / "out.osm")
    assert b'ref="404"' in (tmp_path / "out.osm").read_bytes()


def test_entities_and_bombs_are_refused_before_they_are_read(tmp_path):
    bomb = '<!DOCTYPE osm [<!ENTITY a "b">]>' + map_text()[38:]
    with pytest.raises(Exception, match="DOCTYPE"):
        furnished(tmp_path, bomb)


def test_gzip_carries_neither_name_nor_time(tmp_path):
    target = furnished(tmp_path, map_text(), target="out.osm.gz")
    head = target.read_bytes()[:10]
    assert head[3] == 0
    assert head[4:8] == bytes(4)
    assert gzip.decompress(target.read_bytes()).endswith(b"</osm>\n")


def test_the_shipped_house_list_works_out_of_the_box(tmp_path):
    original = _written(tmp_path, map_text())
    found = furnish(FurnishRequest(original))
    assert len(found.houses) > 10
    assert not [each for each in found.warnings if "LOD0" in each.message]
    write_furnished(found, tmp_path / "out.osm")
    world = build_world(tmp_path / "out.osm", driving_side="left", diagnostics=Diagnostics())
    assert len(world.houses) == len(found.houses)
    roots = search_roots()
    assert all(find_file(f"{house.model}/LOD0", roots).is_dir() for house in world.houses)
    assert find_file(DEFAULT_HOUSE_LIST, roots).is_file()


def test_new_nodes_are_laid_out_like_the_rest(tmp_path):
    text = furnished(tmp_path, map_text()).read_text(encoding="utf-8")
    assert re.search(r'\n  <node id="3" version="1" lat="-?\d+\.\d{7}" lon="-?\d+\.\d{7}">\n', text)
    assert '\n    <tag k="filePath" v="models/' in text
