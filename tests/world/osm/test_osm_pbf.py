import numpy as np
import osmium
import osmium.osm.mutable as made
import pytest

from autosim.world.osm import osm_pbf
from autosim.world.osm.osm_libosmium import read_by_libosmium
from autosim.world.osm.osm_pbf import UncommonPbfError, read_pbf
from autosim.world.osm.osm_reader import check_osm, read_osm
from tests.world.maps import MAPS

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


def assert_same(path):
    ours, theirs = read_pbf(path).finish(), read_by_libosmium(path)
    assert len(ours.node_ids)
    for name in type(ours).__slots__:
        assert np.all(getattr(ours, name) == getattr(theirs, name)), name
    tags = [[list(each.tags) for each in content.ways] for content in (ours, theirs)]
    assert tags[0] == tags[1]


@pytest.mark.parametrize("options", [(), (PLAIN,), ("pbf_compression=none",)])
def test_a_common_file_is_read_as_libosmium_reads_it(tmp_path, options):
    box = osmium.osm.Box(24.0, 60.0, 25.1234567, 61.0)
    path = written(tmp_path / "map.osm.pbf", *options, box=box)
    assert_same(path)
    assert read_pbf(path).bounds == (60.0, 24.0, 61.0, 25.1234567)


def test_a_file_without_bounds_has_none(tmp_path):
    path = written(tmp_path / "map.osm.pbf")
    assert_same(path)
    assert read_pbf(path).bounds is None


@pytest.mark.parametrize("name", ["helsinki", "bayfront_singapore"])
def test_an_extract_is_read_as_libosmium_reads_it(name):
    path = MAPS / f"pbf/{name}.osm.pbf"
    if not path.exists():
        pytest.skip("the shared OSM extracts are not there")
    assert_same(path)


def test_what_is_uncommon_is_left_to_libosmium(tmp_path):
    path = written(tmp_path / "map.osm.pbf", "history=true")
    with pytest.raises(UncommonPbfError):
        read_pbf(path)
    assert len(read_osm(path).ways) == 2


def test_a_place_that_is_nowhere_is_named(tmp_path):
    path = tmp_path / "map.osm.pbf"
    with osmium.SimpleWriter(str(path)) as writer:
        writer.add_node(made.Node(id=1, location=(24.0, 60.0)))
        writer.add_node(made.Node(id=2, location=(24.0, 99.0)))
    with pytest.raises(UncommonPbfError):
        read_pbf(path)
    assert "node 2 has no valid latitude" in check_osm(path)[0].message


def test_a_file_that_ends_early_is_broken_wherever_it_ends(tmp_path):
    whole = written(tmp_path / "map.osm.pbf").read_bytes()
    path = tmp_path / "broken.osm.pbf"
    blocks = 0
    for end in range(1, len(whole)):
        path.write_bytes(whole[:end])
        try:
            blocks += not read_pbf(path).ways
        except UncommonPbfError:
            continue
    assert blocks <= 2  # the file may end after any block


def test_a_block_does_not_unpack_to_more_than_it_says(tmp_path, monkeypatch):
    path = written(tmp_path / "map.osm.pbf")
    monkeypatch.setattr(osm_pbf, "_MOST_OF_BLOCK", 100)
    with pytest.raises(UncommonPbfError, match="too large"):
        read_pbf(path)
