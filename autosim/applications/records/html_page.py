"""Writes a record as one page: scene, time line and plots, without a server."""

import base64
import gzip
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from autosim.applications.common.open_worlds import compile_with_progress
from autosim.applications.records.recorded_world import recorded_world
from autosim.arrays import Floats
from autosim.client.gltf.material_values import Json
from autosim.client.gltf.world_files import WorldFiles
from autosim.config.descriptions import WorldDescription
from autosim.kinds.kind import POSE
from autosim.model.tree import SimulationTree
from autosim.records.events import Collision, Event, NoticeLogged, OutputPrinted
from autosim.records.output_lines import with_whole_lines
from autosim.records.record_file import Record
from autosim.userprogram.codec.tree_codec import tree_to_message
from autosim.v1 import autosim_pb2 as pb
from autosim.version import __version__
from autosim.web.page_files import page_folder, recording_page
from autosim.web.streaming.encoding import StateEncoder
from autosim.web.streaming.whole_channels import WholeChannels, magnitudes_of, whole_channels
from autosim.world.compiled.compiled_world import CompiledWorld

FORMAT = 1
"""Version of the blocks, which the page compares with its own."""

RATE_HZ = 20.0
"""States for each second of simulated time; the page shows all pictures between two of them."""

NEAR, FAR = 500.0, 3000.0
"""Distances [m] from any robot's path within which the town is in the page, fine and coarse."""

_MARKER = "<!-- data -->"
_PATH_STEP = 20.0
"""Distance [m] between the points of a path that tiles are measured from."""


@dataclass(frozen=True, slots=True)
class PageRun:
    """A run that a page shows.

    Attributes:
        world: what was simulated.
        compiled: its map.
        tree: the layout of its states.
        steps: the steps whose states are in the page, in order; one at least.
        state: gives the state after one of them.
        marks: messages and collisions, as the page lists them.
        seed: of all noise.
        version: of AutoSim, that has simulated it.
    """

    world: WorldDescription
    compiled: CompiledWorld
    tree: SimulationTree
    steps: Sequence[int]
    state: Callable[[int], bytes]
    marks: Sequence[Json] = ()
    seed: int = 0
    version: str = __version__


def export_html(record: Record, file: Path, folder: Path | None = None) -> int:
    """Writes a page that shows the run; returns its size [bytes].

    Args:
        record: the run.
        file: the page.
        folder: of the page without data; None: the one of this package.

    Raises:
        UserError: the page for browsers was not built, the record is damaged, or its world is not
            there.
        OSError: the file cannot be written.
    """
    return file.write_bytes(record_page(record, folder).encode())


def record_page(record: Record, folder: Path | None = None) -> str:
    """The page that shows the run of a record; arguments and errors as of `export_html`."""
    page = recording_page(folder or page_folder())
    about = record.about
    events = record.events((Collision, OutputPrinted, NoticeLogged))
    with recorded_world(record.path, is_simulated=False) as world:
        run = PageRun(
            world,
            compile_with_progress(world),
            record.tree,
            _steps_of(record),
            record.state,
            marks=[_mark(each) for each in with_whole_lines(events)],
            seed=about.seed,
            version=about.version,
        )
        return _filled(page, run)


def run_page(run: PageRun, folder: Path | None = None) -> str:
    """The page that shows a run.

    Args:
        run: what it shows.
        folder: of the page without data; None: the one of this package.

    Raises:
        UserError: the page for browsers was not built.
    """
    return _filled(recording_page(folder or page_folder()), run)


def _filled(page: str, run: PageRun) -> str:
    head, marker, tail = page.partition(_MARKER)
    assert marker, "the page has no place for data"
    magnitudes = magnitudes_of(run.tree, (run.state(step) for step in run.steps))
    whole = whole_channels(run.tree, magnitudes)
    about = {
        "format": FORMAT,
        "channels": [list(each) for each in whole.channels],
        "marks": list(run.marks),
        "left_out": whole.left_out,
    }
    blocks = {
        "run.json": _json(about),
        "description.pb": _description(run).SerializeToString(),
        "states": b"".join(_packets(run, whole)),
        **_world_blocks(run.world, run.compiled, _paths(run)),
    }
    return head + "\n".join(_block(name, content) for name, content in blocks.items()) + tail


def states_between(step_seconds: float) -> int:
    """Steps from one state of a page to the next."""
    return max(1, round(1.0 / (RATE_HZ * step_seconds)))


def _block(name: str, content: bytes) -> str:
    packed = base64.b64encode(gzip.compress(content, 9, mtime=0)).decode()
    return f'<script type="application/x-autosim" data-name="{name}">{packed}</script>'


def _json(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


def _steps_of(record: Record) -> list[int]:
    """The steps whose states are in the page: `RATE_HZ` in a second, and the last one."""
    every = states_between(record.about.step_seconds)
    wanted = [*range(record.first_step, record.last_step, every), record.last_step]
    return [step for step in wanted if record.find_state(step) is not None]


def _packets(run: PageRun, whole: WholeChannels) -> Iterator[bytes]:
    encoder = StateEncoder(run.tree, whole.channels)
    for step in run.steps:
        now = step * run.world.physics.step_seconds
        encoded = encoder.encode(memoryview(run.state(step)), now=now, is_standing=False)
        yield encoded.key if encoded.delta is None else encoded.delta


def _description(run: PageRun) -> pb.Description:
    return pb.Description(
        version=run.version,
        world=run.world.name,
        layout_digest=run.tree.digest,
        world_digest=run.compiled.digest,
        state_bytes=run.tree.stop,
        tree=tree_to_message(run.tree),
        step_seconds=run.world.physics.step_seconds,
        seed=run.seed,
        picture_width=run.world.graphics.width,
        picture_height=run.world.graphics.height,
    )


def _mark(event: Event) -> Json:
    match event:
        case Collision(step=step, robot=robot, text=text):
            return _message(step, "error", robot, text) | {"kind": "collision"}
        case OutputPrinted(step=step, source=source, text=text):
            return _message(step, "info", source, text.rstrip("\n"))
        case NoticeLogged(step=step, level=level, source=source, text=text):
            return _message(step, level, source, text)
    raise TypeError(type(event).__name__)


def _message(step: int, level: str, source: str, text: str) -> Json:
    known = level if level in ("info", "warning", "error") else "info"
    return {"step": step, "kind": "message", "level": known, "source": source, "text": text}


def _paths(run: PageRun) -> Floats:
    """Points (n, 2) [m] in W along the paths of all bodies of robots."""
    offsets = [each // 8 for each in _places(run.tree)]
    points: list[Floats] = []
    last = np.full((len(offsets), 2), np.inf)
    for step in run.steps:
        values = np.frombuffer(run.state(step), dtype=np.float64)
        now = np.array([values[k : k + 2] for k in offsets]).reshape(-1, 2)
        if not points or (np.abs(now - last).max(initial=0.0) > _PATH_STEP):
            points.append(now)
            last = now
    return np.concatenate(points) if points else np.zeros((0, 2))


def _places(tree: SimulationTree) -> Iterator[int]:
    for node in tree.walk():
        if node is not tree and node.twin is None and node.fields[: len(POSE)] == POSE:
            yield node.field_offset("position")


def _world_blocks(
    world: WorldDescription, compiled: CompiledWorld, paths: Floats
) -> dict[str, bytes]:
    """The manifest, and the files that it names: tiles near the paths, and all models."""
    files = WorldFiles(world, compiled)
    manifest: Json = dict(files.manifest)
    manifest["tiles"] = list(_tiles_near(manifest["tiles"], paths))
    found = {"manifest.json": _json(manifest)}
    for uri in _uris(manifest):
        served = files.file(uri)
        if served is not None:
            found[uri] = gzip.decompress(served.content)
    return found


def _tiles_near(tiles: list[Json], paths: Floats) -> Iterator[Json]:
    """Tiles with those of their levels of detail that the page has."""
    for tile in tiles:
        centre = np.array(tile["center"][:2], dtype=np.float64)
        away = np.hypot(*(paths - centre).T).min(initial=np.inf) if len(paths) else 0.0
        away -= tile["radius"]
        lods = tile["lods"] if away < NEAR else tile["lods"][-1:]
        if away < FAR:
            yield tile | {"lods": lods}


def _uris(value: object) -> Iterator[str]:
    """All addresses in a manifest, each once."""
    seen: dict[str, None] = {}
    waiting = [value]
    while waiting:
        each = waiting.pop()
        if isinstance(each, dict):
            uri = each.get("uri")
            if isinstance(uri, str):
                seen[uri] = None
            waiting.extend(each.values())
        elif isinstance(each, list | tuple):
            waiting.extend(each)
    return iter(seen)
