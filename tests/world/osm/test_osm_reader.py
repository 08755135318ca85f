import bz2
import gzip
import pickle

import pytest

from autosim.world.osm.osm_reader import check_osm, read_osm
from tests.world.maps import CROSSING, MAPS, TOWN, osm_text

ODD = MAPS / "odd"
BROKEN = {
    "made/billion_laughs.osm": 2,
    "made/empty.osm": 1,
    "made/latin1_bytes.osm": 2,
    "made/not_pbf.osm.pbf": 0,
    "made/truncated_mid_tag.osm": 115,
    "td_xml/102-wrong_version/data.osm": 2,
    "td_xml/104-empty_file/data.osm": 1,
    "td_xml/106-invalid_xml_file/data.osm": 3,
    "td_xml/108-unknown_top_level/data.osm": 1,
    "td_xml/110-entity_declaration/data.osm": 2,
    "td_xml/121-truncated_gzip_file/data.osm.gz": 0,
    "td_xml/300-change-file/data.osc": 0,
}
FAULTY = {
    "made/bad_latlon.osm": 2,
    "td_xml/123-unknown_element_in_node/data.osm": 4,
    "td_xml/125-unknown_element_in_relation/data.osm": 4,
    "td_xml/127-missing_member_type/data.osm": 3,
}
"""Files with objects that are left out; the rest of them may be used."""

SOUND = (
    "made/huge_id.osm",
    "made/negative_ids.osm",
    "made/weird_tags.osm",
    "td_64bit_ids.osm",
    "td_tag_lengths.osm",
    "td_xml/100-correct_but_no_data/data.osm",
    "td_xml/140-unicode/data.osm",
    "td_xml/142-whitespace/data.osm",
    "o2w_mp_broken.osm",
    "o2w_sameCoordNodes.osm",
)


def odd_file(name):
    path = ODD / name
    if not path.exists():
        pytest.skip("the shared OSM extracts are not there")
    return path


@pytest.mark.parametrize(("name", "line"), BROKEN.items())
def test_a_broken_file_gives_an_error_with_its_line(name, line):
    findings = check_osm(odd_file(name))
    assert [finding.line for finding in findings if finding.level == "error"][:1] == [line]


@pytest.mark.parametrize(("name", "line"), FAULTY.items())
def test_a_faulty_object_gives_a_warning_with_its_line(name, line):
    findings = check_osm(odd_file(name))
    assert {finding.level for finding in findings} == {"warning"}
    assert line in [finding.line for finding in findings]


@pytest.mark.parametrize("name", SOUND)
def test_a_sound_file_gives_no_finding(name):
    assert read_osm(odd_file(name)).findings == ()


def test_a_map_goes_from_process_to_process_as_it_is():
    data = read_osm(TOWN)
    copy = pickle.loads(pickle.dumps(data))
    assert (copy.tagged_nodes, copy.ways) == (data.tagged_nodes, data.ways)
    assert (copy.relations, copy.bounds, copy.findings) == (
        data.relations,
        data.bounds,
        data.findings,
    )
    assert copy.node_ids.tobytes() == data.node_ids.tobytes()
    assert copy.places.tobytes() == data.places.tobytes()


def test_negative_ids_keep_their_ways():
    data = read_osm(odd_file("made/negative_ids.osm"))
    assert [way.refs for way in data.ways] == [(-1, -2, -3)]
    assert (data.rows(data.ways[0].refs) >= 0).all()


@pytest.mark.parametrize("ending", [".osm", ".osm.gz", ".osm.bz2"])
def test_packed_files_hold_the_same_map(tmp_path, ending):
    pack = {".osm": bytes, ".osm.gz": gzip.compress, ".osm.bz2": bz2.compress}[ending]
    path = tmp_path / f"map{ending}"
    path.write_bytes(pack(osm_text(CROSSING).encode()))
    data = read_osm(path)
    assert len(data.ways) == 2
    assert len(data.node_ids) == 5
    assert data.findings == ()


def test_a_way_with_missing_nodes_is_left_out_and_named(tmp_path):
    path = tmp_path / "map.osm"
    path.write_text(
        '<osm version="0.6"><node id="1" lat="1" lon="1"/>'
        '<way id="77"><nd ref="1"/><nd ref="2"/></way></osm>'
    )
    data = read_osm(path)
    assert data.ways == ()
    assert "way 77: 1 of its 2 nodes" in data.findings[0].message
    assert data.findings[0].level == "warning"


def test_ways_may_come_before_their_nodes(tmp_path):
    path = tmp_path / "map.osm"
    path.write_text(
        '<osm version="0.6"><way id="7"><nd ref="2"/><nd ref="1"/></way>'
        '<node id="2" lat="1" lon="1"/><node id="1" lat="1" lon="2"/></osm>'
    )
    data = read_osm(path)
    assert data.places[data.rows(data.ways[0].refs)].tolist() == [[1.0, 1.0], [1.0, 2.0]]


def test_version_0_5_is_read(tmp_path):
    path = tmp_path / "map.osm"
    path.write_text(osm_text(CROSSING).replace("0.6", "0.5"))
    assert len(read_osm(path).ways) == 2


PLACES = "".join(f'<node id="{n}" lat="1" lon="{n}.0"/>' for n in range(1, 7))
SEGMENTS = "".join(f'<segment id="{n}{n + 1}" from="{n}" to="{n + 1}"/>' for n in range(1, 6))


def old_map(path, *ways):
    """A map of version 0.4 with segments 12, 23, … from node to node, and ways of segments."""
    text = "".join(
        f'<way id="{number}">{"".join(f"<seg id={chr(34)}{each}{chr(34)}/>" for each in segments)}'
        '<tag k="highway" v="residential"/></way>\n'
        for number, segments in ways
    )
    path.write_text(f'<osm version="0.4">{PLACES}{SEGMENTS}\n{text}</osm>')
    return path


def test_ways_of_segments_are_read_from_version_0_4(tmp_path):
    data = read_osm(old_map(tmp_path / "old.osm", (8, (12, 23, 34)), (9, (45, 56))))
    assert [(way.id, way.refs) for way in data.ways] == [(8, (1, 2, 3, 4)), (9, (4, 5, 6))]
    assert data.ways[0].tags == {"highway": "residential"}
    assert data.findings == ()


def test_segments_that_do_not_follow_each_other_are_ways_of_their_own_and_named(tmp_path):
    data = read_osm(old_map(tmp_path / "old.osm", (8, (34, 12, 23)), (9, (45, 56))))
    assert [(way.id, way.refs) for way in data.ways] == [
        (8, (3, 4)),
        (-1, (1, 2, 3)),
        (9, (4, 5, 6)),
    ]
    (finding,) = data.findings
    assert (finding.level, finding.line) == ("warning", 2)
    assert finding.message == "way 8: its segments do not follow each other; read as 2 ways"


def test_a_way_with_missing_segments_is_left_out_and_named(tmp_path):
    data = read_osm(old_map(tmp_path / "old.osm", (8, (12, 77)), (9, (23, 34, 45))))
    assert [way.id for way in data.ways] == [9]
    assert [each.message for each in data.findings] == [
        "way 8: 1 of its 2 segments are not in the file; left out",
        "1 segments belong to no way; left out",
    ]


def test_many_divided_ways_do_not_hide_the_rest_of_an_old_map(tmp_path):
    many = [(number, (34, 12)) for number in range(1, 301)]
    data = read_osm(old_map(tmp_path / "old.osm", *many))
    assert len(data.ways) == 600
    assert {each.level for each in data.findings} == {"warning"}
    assert "250 more ways have faults in their segments" in [e.message for e in data.findings]


def test_what_an_editor_deleted_is_gone(tmp_path):
    path = tmp_path / "map.osm"
    path.write_text(osm_text(CROSSING).replace('<way id="2">', '<way id="2" action="delete">'))
    assert [way.id for way in read_osm(path).ways] == [1]


def test_all_faults_come_at_once(tmp_path):
    path = tmp_path / "map.osm"
    path.write_text(
        '<osm version="0.6">\n<node id="x" lat="1" lon="1"/>\n<node id="2" lat="nan" lon="1"/>\n'
        '<frob/>\n<way id="3"><nd/></way>\n</osm>'
    )
    findings = check_osm(path)
    assert [f.line for f in findings if f.line] == [2, 3, 4, 5]
    assert {f.level for f in findings} == {"warning"}


def test_a_faulty_node_takes_only_what_names_it_along(tmp_path):
    path = tmp_path / "map.osm"
    faulty = '<node id="98" lat="91" lon="0"/><node id="99" lat="abc" lon="1"/><way id="9">'
    path.write_text(osm_text(CROSSING).replace("<way", faulty + '<nd ref="98"/></way><way', 1))
    sound = tmp_path / "sound.osm"
    sound.write_text(osm_text(CROSSING))
    assert [way.id for way in read_osm(path).ways] == [way.id for way in read_osm(sound).ways]
    assert len(read_osm(path).findings) == 3


def test_a_missing_file_is_an_error(tmp_path):
    (tmp_path / "town.osm").touch()
    (finding,) = check_osm(tmp_path / "twon.osm")
    assert finding.message.startswith("cannot be read: No such file or directory; did you mean '")
    (finding,) = check_osm(tmp_path)
    assert finding.message == "is a folder, not a file"


def test_an_entity_that_names_a_file_is_refused(tmp_path):
    path = tmp_path / "map.osm"
    path.write_text(
        '<!DOCTYPE o [<!ENTITY x SYSTEM "file:///etc/hostname">]>\n'
        '<osm version="0.6"><node id="1" lat="1" lon="1"><tag k="a" v="&x;"/></node></osm>'
    )
    assert "DOCTYPE" in check_osm(path)[0].message


MAP = osm_text(CROSSING).encode()


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("map.osm", gzip.compress(MAP), "holds .osm.gz, and its name says .osm: rename it"),
        ("map.osm", bz2.compress(MAP), "holds .osm.bz2, and its name says .osm: rename it"),
        ("map.osm.gz", MAP, "holds .osm, and its name says .osm.gz: rename it"),
        ("map.osm.pbf", b"\xef\xbb\xbf" + MAP, "holds .osm, and its name says .osm.pbf: rename it"),
        ("map.osm", b"\0\0\0\x0d\x0a\x09OSMHeader", "holds .osm.pbf, and its name says .osm"),
        ("map.osm", b'\n{"elements": []}', "found JSON; ask the server for XML"),
        ("map.osm", b"<!DOCTYPE html>\n<html>sorry</html>", "this is a web page, not a map"),
        ("map.osm", MAP[: len(MAP) // 2], "the file ends in the middle; is it whole?"),
        ("map.osm.gz", gzip.compress(MAP[: len(MAP) // 2]), "the file ends in the middle"),
    ],
)
def test_a_file_that_is_not_what_it_seems_is_named(tmp_path, name, content, message):
    path = tmp_path / name
    path.write_bytes(content)
    (finding,) = check_osm(path)
    assert finding.level == "error"
    assert message in finding.message


def test_only_areas_and_turn_restrictions_keep_their_members(tmp_path):
    member = '<member type="way" ref="1" role=""/>'
    relation = '<relation id="{}">' + member + '<tag k="type" v="{}"/></relation>'
    kinds = ("multipolygon", "restriction:bus", "route")
    path = tmp_path / "map.osm"
    content = "".join(relation.format(k + 1, kind) for k, kind in enumerate(kinds))
    for ending, told in (
        ("</osm>", 0),
        ("<node id='1' lat='99' lon='1'/></osm>", 1),
    ):  # the fast and the tolerant reader
        path.write_text(f"<osm version='0.6'>{content}{ending}")
        data = read_osm(path)
        assert len(data.findings) == told
        assert [len(each.members) for each in data.relations] == [1, 1, 0]
