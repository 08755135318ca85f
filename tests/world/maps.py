"""Small maps written in metres, as OSM files."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from autosim.config.diagnostics import Diagnostics
from autosim.world.compiled.compiled_world import CompiledWorld
from autosim.world.geometry.map_projection import MapProjection
from autosim.world.pipeline.world_pipeline import build_world
from tests.paths import ROOT, SHARED

ORIGIN = (-31.9728, 115.827)
MAPS = SHARED / "osm"
TOWN = ROOT / "worlds" / "circle_town" / "circle_town.osm"

Point = tuple[float, float]
Way = tuple[Sequence[Point], Mapping[str, str]]


Member = tuple[str, int | Point, str]


def osm_text(
    ways: Sequence[Way],
    nodes: Sequence[tuple[Point, Mapping[str, str]]] = (),
    relations: Sequence[tuple[Sequence[Member], Mapping[str, str]]] = (),
    *,
    origin: Point | None = None,
) -> str:
    """An OSM file with ways through points [m] about `origin`; equal points are one node.

    Without an origin it is `ORIGIN`. Ways are numbered from 1; a relation's members are ("way",
    number, role) or ("node", point, role).
    """
    tagged = dict(nodes)
    points = list(dict.fromkeys([p for line, _ in ways for p in line] + list(tagged)))
    numbers = {point: k for k, point in enumerate(points, start=1)}
    places = MapProjection(origin or ORIGIN).to_geographic(
        np.array(points, dtype=float).reshape(-1, 2)
    )
    lines = ['<osm version="0.6">']
    for point, (latitude, longitude) in zip(points, places.tolist(), strict=True):
        tags = _tags(tagged.get(point, {}))
        lines.append(
            f'<node id="{numbers[point]}" lat="{latitude}" lon="{longitude}">{tags}</node>'
        )
    for k, (line, way_tags) in enumerate(ways, start=1):
        refs = "".join(f'<nd ref="{numbers[p]}"/>' for p in line)
        lines.append(f'<way id="{k}">{refs}{_tags(way_tags)}</way>')
    for k, (members, relation_tags) in enumerate(relations, start=1):
        inside = "".join(
            f'<member type="{what}" ref="{numbers[ref] if what == "node" else ref}" role="{role}"/>'
            for what, ref, role in members
        )
        lines.append(f'<relation id="{k}">{inside}{_tags(relation_tags)}</relation>')
    return "\n".join([*lines, "</osm>"])


def _tags(tags: Mapping[str, str]) -> str:
    return "".join(f'<tag k="{k}" v="{v}"/>' for k, v in tags.items())


def write_map(folder: Path, ways: Sequence[Way], **others: object) -> Path:
    path = folder / "map.osm"
    path.write_text(osm_text(ways, **others), encoding="utf-8")  # type: ignore[arg-type]
    return path


def build_map(
    folder: Path, ways: Sequence[Way], side: str = "left", **others: object
) -> CompiledWorld:
    return build_world(
        write_map(folder, ways, **others),
        driving_side=side,  # type: ignore[arg-type]
        diagnostics=Diagnostics(),
    )


RESIDENTIAL = {"highway": "residential"}
CROSSING: tuple[Way, ...] = (
    (((-120.0, 0.0), (0.0, 0.0), (120.0, 0.0)), RESIDENTIAL),
    (((0.0, -120.0), (0.0, 0.0), (0.0, 120.0)), RESIDENTIAL),
)
