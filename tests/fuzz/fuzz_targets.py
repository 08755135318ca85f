"""Readers of foreign input: each ends well or raises an error of its own that a user can act on."""

import gzip
import tempfile
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
from PIL import Image

from autosim.client.materials.texture_images import TextureImageError, read_texture_image
from autosim.client.models.model_files import ModelError
from autosim.client.models.obj import read_obj
from autosim.config.diagnostics import Diagnostics
from autosim.config.files.lookup import search_roots
from autosim.config.reading.sources import open_source
from autosim.errors import UserError
from autosim.kinds.actuators.tyre_file import read_tyre_file
from autosim.kinds.bodies.mesh_file import read_mesh
from autosim.kinds.nmea import NmeaError, read_gga, read_rmc
from autosim.loading.checker import check_file
from autosim.model.tree import TreeError
from autosim.openscenario.reading.scenario_reader import read_scenario
from autosim.records.record_file import Record
from autosim.records.recovery import recover
from autosim.traffic.demand.route_file import read_routes
from autosim.userprogram.codec.tree_codec import tree_from_bytes, tree_to_bytes
from autosim.vehicle.kinematic.lookup_maps import read_map
from autosim.vehicle.runs.drive_inputs import read_inputs
from autosim.web.streaming.packets import MalformedPayloadError, read_runs
from autosim.web.streaming.stream_messages import BadMessageError, read_opening, read_watch
from autosim.wire import PacketError, read_packet
from autosim.world.compiled.compiled_file import (
    WorldFileError,
    load_compiled_world,
    save_compiled_world,
)
from autosim.world.opendrive.xodr_reader import read_xodr
from autosim.world.osm.osm_reader import check_osm
from autosim.world.pipeline.world_pipeline import build_world
from tests.config import samples
from tests.openscenario import scenario_texts
from tests.openscenario.dsl import dsl_texts
from tests.paths import ROOT
from tests.records.runs import record_run
from tests.server.light_simulation import light_world
from tests.world.maps import CROSSING, build_map
from tests.world.opendrive import files as xodr_texts
from tests.world.random_maps import random_map

_EXPECTED = (UserError,)

_ROUTES = b"""<routes>
<vType id="car" vClass="passenger" maxSpeed="30" tau="1.2" color="1,0,0"/>
<route id="r" edges="1#0 -2"/>
<vehicle id="late" type="car" depart="0:01:30" departSpeed="max" route="r"/>
<vehicle id="own" depart="3"><route edges="5 6"/></vehicle>
<trip id="trip" type="car" depart="7.5" from="1" via="3 4" to="2" departLane="1"/>
<flow id="f" from="1" to="2" begin="10" end="70" period="20"/>
<flow id="g" from="1" to="2" begin="0" end="60" vehsPerHour="120"/>
<flow id="h" from="1" to="2" begin="0" end="60" probability="0.1"/>
</routes>"""

_INPUTS = b"""time,steering,acceleration,gear
0,0.1,0.5,DRIVE
1.5,0,-2,REVERSE
"""

_CUBE = b"""mtllib cube.mtl
o cube
v 0 0 0
v 1 0 0
v 1 1 0
v 0 1 0
v 0 0 1
v 1 0 1
v 1 1 1
v 0 1 1
vt 0 0
vt 1 1
vn 0 0 1
usemtl red
f 1/1/1 4/2/1 3//1 2
f -4 -3 -2 -1
f 1 2 6 5
f 2 3 7 6
f 3 4 8 7
f 4 1 5 8
"""

_PACKETS = [
    bytes((1, 0)) + bytes(30),
    bytes((3, 2, 5, 7, 9, 1, 1, 1)),
    b'{"token": "abc", "rate_hz": 20, "wants_state": true}',
    b'{"watch": ["a.b", "c"], "number": 3}',
]

_SENTENCES = b"""$GPGGA,123519.00,4807.0380,N,01131.0000,E,1,08,0.9,545.4,M,46.9,M,,*47
$GPRMC,123519.00,A,4807.0380,N,01131.0000,E,022.4,084.4,230394,,,A*6A
"""


@dataclass(frozen=True, slots=True)
class FuzzTarget:
    """A reader of one kind of input.

    Attributes:
        name: of the target, and of its folder of inputs.
        read: reads the file that holds the input.
        seeds: gives valid inputs, from which mutations start.
        suffix: of the file's name.
        packages: modules below these are instrumented for coverage.
        expected: errors that the reader may raise for a bad input.
        seconds: longest processor time [s] of one input of a few kilobytes.
    """

    name: str
    read: Callable[[Path], object]
    seeds: Callable[[], list[bytes]]
    suffix: str
    packages: tuple[str, ...]
    expected: tuple[type[Exception], ...] = _EXPECTED
    seconds: float = 10.0


def _texts(pattern: str, *more: str) -> Callable[[], list[bytes]]:
    return lambda: [
        *(each.encode() for each in more),
        *(path.read_bytes() for path in sorted(ROOT.glob(pattern))),
    ]


def _check(path: Path) -> None:
    """Checks a file of configuration, and what it refers to in the shipped folders."""
    check_file(path, roots=search_roots())


def _text(path: Path) -> str:
    return path.read_bytes().decode(errors="replace")


def _read_routes(path: Path) -> None:
    source = open_source(path, Diagnostics())
    if source is not None:
        read_routes(source)


def _read_record(path: Path) -> None:
    """Reads a record to its end, and repairs a copy."""
    with suppress(UserError), Record(path) as opened:
        for _ in opened.states():
            pass
        list(opened.events())
        opened.find_state(3)
    recover(path, path.with_name("recovered.mcap"))


def _read_world(path: Path) -> None:
    world = load_compiled_world(path)
    world.roads.successors.sum()


def _build(path: Path) -> None:
    build_world(path, driving_side="right", processes=1, diagnostics=Diagnostics())


def _read_packets(path: Path) -> None:
    data = path.read_bytes()
    with suppress(PacketError):
        read_packet(data)
    with suppress(MalformedPayloadError):
        read_runs(data, np.zeros(64, dtype=np.int64))
    text = data.decode(errors="replace")
    for read in (read_opening, read_watch):
        with suppress(BadMessageError):
            read(text)


def _read_meshes(path: Path) -> None:
    with suppress(UserError):
        read_mesh(path.read_bytes(), is_convex=False)
    with suppress(UserError):
        read_mesh(path.read_bytes(), is_convex=True)
    read_obj(path)


def _read_sentences(path: Path) -> None:
    for line in path.read_bytes().decode(errors="replace").splitlines():
        for read in (read_gga, read_rmc):
            with suppress(NmeaError):
                read(line)


def _xosc_seeds() -> list[bytes]:
    events = scenario_texts.event(
        "brake", scenario_texts.speed_action(0.0, "linear", 2.0), scenario_texts.after(2.0)
    )
    return [scenario_texts.scenario_text(events).encode()]


def _osc_seeds() -> list[bytes]:
    return [dsl_texts.dsl_text(dsl_texts.PHASES).encode()]


def _xodr_seeds() -> list[bytes]:
    return [xodr_texts.crossroads().encode(), scenario_texts.ROAD.encode()]


def _osm_seeds() -> list[bytes]:
    return [random_map(seed).encode() for seed in range(6)]


def _in_folder(write: Callable[[Path], Iterable[Path]]) -> Callable[[], list[bytes]]:
    """Seeds that `write` writes into a folder."""

    @cache
    def seeds() -> list[bytes]:
        with tempfile.TemporaryDirectory() as folder:
            return [path.read_bytes() for path in write(Path(folder))]

    return seeds


def _write_record(folder: Path) -> list[Path]:
    record_run(folder / "run.mcap", 20)
    return [folder / "run.mcap"]


def _write_world(folder: Path) -> list[Path]:
    save_compiled_world(build_map(folder, CROSSING), folder / "town.world")
    return [folder / "town.world"]


def _write_pictures(folder: Path) -> list[Path]:
    pixels = np.arange(48, dtype=np.uint8).reshape(4, 4, 3)
    found = []
    for suffix in ("png", "jpg", "bmp", "tiff", "webp", "gif"):
        found.append(folder / f"picture.{suffix}")
        Image.fromarray(pixels).save(found[-1])
    return found


def _write_pbf(folder: Path) -> list[Path]:
    import osmium

    found = []
    for seed in range(3):
        source, target = folder / f"{seed}.osm", folder / f"{seed}.osm.pbf"
        source.write_text(random_map(seed))
        with osmium.SimpleWriter(str(target)) as writer:
            for each in osmium.FileProcessor(str(source)):
                writer.add(each)
        found.append(target)
    return found


def _tree_seeds() -> list[bytes]:
    from autosim.kinds.director import build_tree

    return [tree_to_bytes(build_tree(light_world(2)))]


TARGETS = {
    target.name: target
    for target in (
        FuzzTarget("robot", _check, _texts("robots/*.xml", samples.ROBOT), ".xml",
                   ("autosim.loading", "autosim.config", "autosim.kinds")),
        FuzzTarget("world", _check, _texts("worlds/*.xml", samples.WORLD), ".xml",
                   ("autosim.loading", "autosim.config")),
        FuzzTarget("set_up", _check, _texts("worlds/*/*.xml", samples.SETUP, samples.HOUSES),
                   ".xml", ("autosim.loading", "autosim.config")),
        FuzzTarget("scenario", _check, _texts("s[ct][eu]*/*.xml"), ".xml",
                   ("autosim.traffic.scenarios", "autosim.loading.studies", "autosim.config")),
        FuzzTarget("test_bench", _check, _texts("testbenches/*.xml"), ".xml",
                   ("autosim.loading", "autosim.config")),
        FuzzTarget("openscenario", read_scenario, _xosc_seeds, ".xosc",
                   ("autosim.openscenario",)),
        FuzzTarget("openscenario_dsl", read_scenario, _osc_seeds, ".osc",
                   ("autosim.openscenario.dsl",)),
        FuzzTarget("opendrive", lambda path: read_xodr(path, Diagnostics()), _xodr_seeds, ".xodr",
                   ("autosim.world.opendrive",)),
        FuzzTarget("opendrive_world", _build, _xodr_seeds, ".xodr",
                   ("autosim.world.opendrive", "autosim.world.pipeline"), seconds=60.0),
        FuzzTarget("osm", check_osm, _osm_seeds, ".osm", ("autosim.world.osm",)),
        FuzzTarget("osm_world", _build, _osm_seeds, ".osm", ("autosim.world",), seconds=60.0),
        FuzzTarget("osm_pbf", check_osm, _in_folder(_write_pbf), ".osm.pbf",
                   ("autosim.world.osm",)),
        FuzzTarget("osm_gz", check_osm, lambda: [gzip.compress(s) for s in _osm_seeds()],
                   ".osm.gz", ("autosim.world.osm",)),
        FuzzTarget("routes", _read_routes, lambda: [_ROUTES], ".rou.xml",
                   ("autosim.traffic.demand",)),
        FuzzTarget("tyre", lambda path: read_tyre_file(path.read_bytes()),
                   _texts("robots/tyres/*.tir"), ".tir", ("autosim.kinds.actuators",)),
        FuzzTarget("mesh", _read_meshes, lambda: [_CUBE], ".obj",
                   ("autosim.kinds.bodies", "autosim.client.models"),
                   (*_EXPECTED, ModelError)),
        FuzzTarget("texture", read_texture_image, _in_folder(_write_pictures), ".png",
                   ("autosim.client.materials",), (*_EXPECTED, TextureImageError)),
        FuzzTarget("record", _read_record, _in_folder(_write_record), ".mcap",
                   ("autosim.records",)),
        FuzzTarget("compiled_world", _read_world, _in_folder(_write_world), ".world",
                   ("autosim.world.compiled",), (*_EXPECTED, WorldFileError)),
        FuzzTarget("packets", _read_packets, lambda: _PACKETS, ".bin",
                   ("autosim.wire", "autosim.web")),
        FuzzTarget("tree", lambda path: tree_from_bytes(path.read_bytes()), _tree_seeds, ".pb",
                   ("autosim.userprogram.codec", "autosim.model"), (*_EXPECTED, TreeError)),
        FuzzTarget("lookup_map", lambda path: read_map(_text(path)),
                   lambda: [b"default,0,5,10\n0.0,0.1,0.2,0.3\n0.5,1,1.1,1.2\n1,2,2.5,3\n"],
                   ".csv", ("autosim.vehicle.kinematic",)),
        FuzzTarget("drive_inputs", lambda path: read_inputs(_text(path).splitlines(), path.name),
                   lambda: [_INPUTS],
                   ".csv", ("autosim.vehicle.runs",)),
        FuzzTarget("nmea", _read_sentences, lambda: [_SENTENCES], ".txt", ("autosim.kinds.nmea",)),
    )
}  # fmt: skip
