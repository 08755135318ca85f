"""A server on this machine that answers as OpenStreetMap's servers do, from what was stored."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

ANSWER = """<?xml version="1.0" encoding="UTF-8"?>
<osm version="0.6" generator="openstreetmap-cgimap 2.0.1" copyright="OpenStreetMap and contributors"
 attribution="http://www.openstreetmap.org/copyright"
 license="http://opendatacommons.org/licenses/odbl/1-0/">
 <bounds minlat="-31.9750000" minlon="115.8250000" maxlat="-31.9710000" maxlon="115.8300000"/>
 <node id="1" visible="true" version="2" lat="-31.9745000" lon="115.8255000"/>
 <node id="2" visible="true" version="1" lat="-31.9730000" lon="115.8275000"/>
 <node id="3" visible="true" version="1" lat="-31.9715000" lon="115.8295000"/>
 <node id="4" visible="true" version="1" lat="-31.9715000" lon="115.8255000"/>
 <way id="10" visible="true" version="3">
  <nd ref="1"/><nd ref="2"/><nd ref="3"/><tag k="highway" v="residential"/>
 </way>
 <way id="11" visible="true" version="1">
  <nd ref="2"/><nd ref="4"/><tag k="highway" v="tertiary"/>
 </way>
</osm>
"""
PLACE = [
    {
        "place_id": 1,
        "licence": "Data © OpenStreetMap contributors, ODbL 1.0.",
        "osm_type": "node",
        "lat": "-31.9730",
        "lon": "115.8275",
        "display_name": "Ring Town, Western Australia",
        "boundingbox": ["-32.0", "-31.9", "115.8", "115.9"],
    }
]


class Replay:
    """What the server answers, and what it was asked.

    `answers` maps the beginning of a path to (status, body); `requests` are (path, user agent).
    """

    def __init__(self, address: str) -> None:
        self.address = address
        self.requests: list[tuple[str, str]] = []
        self.answers: dict[str, tuple[int, bytes]] = {
            "/api/0.6/map": (200, ANSWER.encode()),
            "/search": (200, json.dumps(PLACE).encode()),
        }


@contextmanager
def replaying() -> Iterator[Replay]:
    """A running server."""
    replay = Replay("")

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            replay.requests.append((self.path, self.headers["User-Agent"]))
            status, body = replay.answers.get(self.path.split("?")[0], (404, b"not here"))
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *arguments: object) -> None:
            """Says nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        replay.address = f"http://127.0.0.1:{server.server_address[1]}"
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        try:
            yield replay
        finally:
            server.shutdown()
            thread.join()
