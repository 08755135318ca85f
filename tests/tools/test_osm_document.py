import io

from autosim.tools.osm_manipulator.osm_document import read_document

OLD = b"""<osm version="0.4">
<node id="1" lat="1" lon="1"/><node id="2" lat="1" lon="2"/><node id="3" lat="1" lon="3"/>
<segment id="12" from="1" to="2"/><segment id="23" from="2" to="3"/>
<way id="8"><seg id="12"/><seg id="23"/><tag k="highway" v="service"/></way>
</osm>"""


def test_a_map_of_segments_is_written_with_ways_of_nodes():
    text = b"".join(read_document(io.BytesIO(OLD)).chunks()).decode()
    assert 'version="0.6"' in text
    assert "segment" not in text
    ways = '<nd ref="1"/><nd ref="2"/><nd ref="3"/><tag k="highway" v="service"/></way>'
    assert f'<way id="8" version="1">{ways}' in text
