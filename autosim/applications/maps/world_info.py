"""Contents of a world: streets by type, lanes, buildings, its place on Earth, its sources."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from autosim.config.descriptions import TerrainDescription
from autosim.world.compiled.compiled_world import CompiledWorld, PropKind
from autosim.world.geometry.map_projection import MapProjection
from autosim.world.geometry.meshes import Mesh, Surface
from autosim.world.lanes.lane_rules import Control
from autosim.world.lanes.roads import RoadNetwork
from autosim.world.validation.accounting import RESTRICTIONS

TRIANGLES_OF_A_BOX = 12
"""Number of triangles of a box: two on each side. Walls, fences and hedges are made of boxes."""


def info_record(world: CompiledWorld, terrain: TerrainDescription) -> dict[str, object]:
    """Contents of a world by name; lengths in metres, angles in degrees.

    `lane_metres` is the length of lanes by their street's OSM `highway` value, without the
    `connectors` through junctions; `friction_metres` the same by friction relative to asphalt.
    `controls` are lanes by the control that makes their vehicles wait, `crossings` places where
    people cross a lane, `conflicts` pairs of connectors that cross or merge, `restrictions` those
    respected.
    """
    roads = world.roads
    connectors = int(roads.connectors.sum())
    return {
        "name": world.name,
        "digest": world.digest,
        "origin": list(world.origin),
        "bounds_m": list(world.bounds),
        "bounds_deg": _bounds_deg(world),
        "driving_side": world.driving_side,
        "lanes": len(roads.lanes) - connectors,
        "connectors": connectors,
        "lane_metres": _lane_metres(roads),
        "friction_metres": _friction_metres(roads),
        "controls": _controls(roads),
        "crossings": len(roads.traffic.crossing_lanes),
        "bus_stops": len(roads.traffic.bus_stop_lanes),
        "conflicts": len(roads.traffic.conflict_lanes),
        "restrictions": dict(world.used).get(RESTRICTIONS, 0),
        "buildings": count_solids(world.buildings) + len(world.houses),
        "houses": len(world.houses),
        "scenery": _scenery(world),
        "triangles": {
            "ground": len(world.ground.triangles),
            "structures": len(world.structures.triangles),
            "buildings": len(world.buildings.triangles),
            "houses": len(world.house_boxes.triangles),
            "obstacles": len(world.obstacles.triangles),
            "markings": len(world.markings.triangles),
            "rails": len(world.rails.triangles),
        },
        "sources": _sources(terrain),
        "attribution": world.attribution,
        "used": dict(world.used),
        "ignored": dict(world.ignored),
        "left_out": dict(world.left_out),
    }


def info_text(record: dict[str, Any]) -> str:
    """`info_record` as text."""
    x_min, y_min, x_max, y_max = record["bounds_m"]
    south, west, north, east = record["bounds_deg"]
    sources = ", ".join(f"{kind} {file}" for kind, file in record["sources"].items() if file)
    lines = [
        f"world     {record['name']}, {record['driving_side']}-hand traffic",
        f"bounds    {x_max - x_min:.0f} m × {y_max - y_min:.0f} m, "
        f"{south:.5f} {west:.5f} to {north:.5f} {east:.5f}",
        f"origin    {_origin_text(record['origin'])}",
        f"lanes     {record['lanes']}, {sum(record['lane_metres'].values()) / 1000:.1f} km, and "
        f"{record['connectors']} connectors through junctions",
        *(f"          {name} {m / 1000:.2f} km" for name, m in record["lane_metres"].items()),
        *_traffic_lines(record),
        f"buildings {record['buildings']}, {record['houses']} of them placed houses",
        "scenery   " + ", ".join(f"{n} {name}" for name, n in record["scenery"].items() if n),
        f"markings  {record['triangles']['markings']} triangles",
        f"sources   {sources}",
    ]
    if record["left_out"]:
        lost = ", ".join(f"{count} {name}" for name, count in record["left_out"].items())
        lines.append(f"left out  {lost}")
    ignored = sum(record["ignored"].values())
    lines.append(f"ignored   {ignored} objects of the map (autosim world check says why)")
    return "\n".join([*lines, f"data      {record['attribution']}"])


def _origin_text(origin: Sequence[float]) -> str:
    """Latitude and longitude [deg] of (x, y) = (0, 0), to a centimetre."""
    latitude, longitude = origin
    if not latitude and not longitude:
        return "unknown: the map states no latitude and longitude"
    return f"{latitude:.7f} {longitude:.7f}, which is x = 0, y = 0"


def _scenery(world: CompiledWorld) -> dict[str, int]:
    """Number of props of each kind, and of pieces of walls, fences and hedges."""
    kinds = np.bincount(world.props.kinds, minlength=len(PropKind))
    counts = {kind.name.lower(): int(kinds[kind]) for kind in PropKind}
    surfaces = np.bincount(world.obstacles.surfaces, minlength=max(Surface) + 1)
    for surface in (Surface.MASONRY, Surface.TIMBER, Surface.HEDGE):
        counts[f"{surface.name.lower()}_pieces"] = int(surfaces[surface]) // TRIANGLES_OF_A_BOX
    return counts


def _lane_metres(roads: RoadNetwork) -> dict[str, float]:
    """Length [m] of the lanes by `highway` value, longest first."""
    lengths = np.where(roads.connectors, 0.0, roads.lengths())
    sums = np.bincount(roads.highways, weights=lengths, minlength=len(roads.highway_names))
    order = np.argsort(-sums)
    return {roads.highway_names[k]: round(float(sums[k]), 1) for k in order if sums[k] > 0.0}


def _friction_metres(roads: RoadNetwork) -> dict[str, float]:
    """Length [m] of the lanes by friction, best first."""
    lengths = np.where(roads.connectors, 0.0, roads.lengths())
    values, rows = np.unique(-roads.frictions, return_inverse=True)
    sums = np.bincount(rows, weights=lengths, minlength=len(values))
    return {f"{-v:.2f}": round(float(m), 1) for v, m in zip(values, sums, strict=True) if m > 0.0}


def _controls(roads: RoadNetwork) -> dict[str, int]:
    """Number of lanes with each kind of control."""
    counts = np.bincount(roads.traffic.controls, minlength=len(Control)).tolist()
    return {kind.name.lower(): counts[kind] for kind in Control if kind is not Control.NONE}


def _traffic_lines(record: dict[str, Any]) -> list[str]:
    controls = ", ".join(
        f"{n} {name.replace('_', ' ')}" for name, n in record["controls"].items() if n
    )
    return [
        f"waiting   {controls or 'nowhere'}",
        f"junctions {record['conflicts']} conflicts, {record['restrictions']} turn restrictions, "
        f"{record['crossings']} crossings of lanes by people",
        "friction  "
        + ", ".join(f"{f}: {m / 1000:.2f} km" for f, m in record["friction_metres"].items()),
    ]


def count_solids(mesh: Mesh) -> int:
    """Number of separate pieces of a mesh; pieces share no vertices."""
    count = len(mesh.vertices)
    if not len(mesh.triangles):
        return 0
    a, b, c = mesh.triangles.T
    rows, columns = np.concatenate([a, b]), np.concatenate([b, c])
    links = coo_array((np.ones(len(rows), dtype=np.int8), (rows, columns)), shape=(count, count))
    _, labels = connected_components(links, directed=False)
    return len(np.unique(labels[mesh.triangles[:, 0]]))


def _bounds_deg(world: CompiledWorld) -> list[float]:
    """South, west, north, east."""
    x_min, y_min, x_max, y_max = world.bounds
    corners = np.array([[x_min, y_min], [x_max, y_min], [x_min, y_max], [x_max, y_max]])
    places = MapProjection(world.origin).to_geographic(corners)
    return [*places.min(axis=0).round(7).tolist(), *places.max(axis=0).round(7).tolist()]


def _sources(terrain: TerrainDescription) -> dict[str, str | None]:
    setup = terrain.setup.source
    return {
        "osm": str(terrain.osm),
        "setup": None if setup is None else str(setup),
        "height_map": None if terrain.height_map is None else str(terrain.height_map),
    }
