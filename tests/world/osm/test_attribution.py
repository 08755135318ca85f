"""Whose a map's data are."""

import gzip

import pytest

from autosim.world.osm.attribution import OPENSTREETMAP, attribution_of
from tests.world.maps import TOWN

API = (
    'copyright="OpenStreetMap and contributors" attribution="http://www.openstreetmap.org/copyright"'
    ' license="http://opendatacommons.org/licenses/odbl/1-0/"'
)


@pytest.mark.parametrize(
    ("attributes", "expected"),
    [
        ("", OPENSTREETMAP),
        ('generator="osmfilter 1.4.4"', OPENSTREETMAP),
        (API, "© OpenStreetMap and contributors, ODbL 1.0"),
        ("copyright='Ours' license='MIT'", "© Ours, MIT"),
        ('copyright="Ours"', "© Ours"),
    ],
)
def test_the_owner_is_the_one_that_the_file_names(tmp_path, attributes, expected):
    text = f'<?xml version="1.0"?>\n<osm version="0.6" {attributes}>\n</osm>'
    plain, packed = tmp_path / "a.osm", tmp_path / "b.osm.gz"
    plain.write_text(text, encoding="utf-8")
    packed.write_bytes(gzip.compress(text.encode()))
    assert attribution_of(plain) == attribution_of(packed) == expected


def test_files_that_cannot_say_it_are_taken_for_openstreetmap(tmp_path):
    (tmp_path / "c.osm.gz").write_bytes(b"not packed")
    for name in ("a.osm.pbf", "b.osm", "c.osm.gz"):
        assert attribution_of(tmp_path / name) == OPENSTREETMAP


def test_the_shipped_town_is_ours():
    assert attribution_of(TOWN) == "© AutoSim, Apache-2.0"
