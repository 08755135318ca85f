"""PBF files as libosmium writes them, of all its kinds, and broken ones."""

import osmium
import osmium.osm.mutable as made
import pytest

from autosim.world.osm.osm_libosmium import read_by_libosmium
from autosim.world.osm.osm_reader import check_osm, read_osm

PLACES = {-7: (24.9443, 60.1717), 5: (-180.0, -90.0), 12345678901: (180.0, 90.0), 9: (0.1, -0.3)}
TAGS = {"name": "Ünter 東京", "empty": "", "highway": "primary"}
PLAIN = "pbf_dense_nodes=false"


def written(path, *options, box=None):
    """A map of everything that there is, as libosmium writes it."""
    file = osmium.io.File(str(path), ",".join(["pbf", *options]))
    header = osmium.io.Header()
    if box is not None:
        header.add_box(box)
    with osmium.SimpleWriter(file, header=header, overwrite=True) as writer:
        for number, place in PLACES.items():
            writer.add_node(made.Node(id=number, location=place, tags=TAGS if number > 0 else {}))
        writer.add_way(made.Way(id=3, nodes=[9, 5, -7, 9], tags=TAGS))
        writer.add_way(made.Way(id=4, nodes=[], tags={}))
        members = [("n", 9, "via"), ("w", 3, "from"), ("r", 2, "")]
        writer.add_relation(made.Relation(id=1, members=members, tags={"type": "restriction"}))
        writer.add_relation(made.Relation(id=2, members=members, tags={"type": "route"}))
    return path


@pytest.mark.parametrize("options", [(), (PLAIN,), ("pbf_compression=none",), ("history=true",)])
def test_a_file_is_read_as_it_was_written(tmp_path, options):
    box = osmium.osm.Box(24.0, 60.0, 25.1234567, 61.0)
    data = read_by_libosmium(written(tmp_path / "map.osm.pbf", *options, box=box))
    assert data.bounds == (60.0, 24.0, 61.0, 25.1234567)
    assert set(data.node_ids.tolist()) == set(PLACES)
    assert {each.id: (each.refs, each.tags) for each in data.ways} == (
        {3: ((9, 5, -7, 9), TAGS), 4: ((), {})}
    )
    assert [each.id for each in data.relations] == [1, 2]


def test_a_file_without_bounds_has_none(tmp_path):
    assert read_osm(written(tmp_path / "map.osm.pbf")).bounds is None


def test_a_place_that_is_nowhere_is_named(tmp_path):
    path = tmp_path / "map.osm.pbf"
    with osmium.SimpleWriter(str(path)) as writer:
        writer.add_node(made.Node(id=1, location=(24.0, 60.0)))
        writer.add_node(made.Node(id=2, location=(24.0, 99.0)))
    assert "node 2 has no valid latitude" in check_osm(path)[0].message


def test_a_file_that_ends_early_is_broken_wherever_it_ends(tmp_path):
    whole = written(tmp_path / "map.osm.pbf").read_bytes()
    path = tmp_path / "broken.osm.pbf"
    for end in range(1, len(whole), len(whole) // 7):
        path.write_bytes(whole[:end])
        data = read_osm(path)
        assert not data.ways
        assert [each.level for each in data.findings][:1] == ["error"]
