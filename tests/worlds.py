"""Small worlds made in memory: quick, flat, and exactly known."""

from dataclasses import replace
from pathlib import Path

import numpy as np

from autosim.config.descriptions import MapSetup, PlacedRobot, TerrainDescription, WorldDescription
from autosim.config.world_settings import GraphicsDescription, PhysicsDescription
from autosim.loading.loader import load_robot
from autosim.world.compiled.compiled_world import CompiledWorld
from autosim.world.compiled.tile_grid import sort_into_tiles
from autosim.world.geometry.meshes import Mesh, Surface
from autosim.world.lanes.roads import LaneRecord, RoadNetwork
from tests.paths import ROOT

EXTENT = 200.0
RADIUS = 60.0


def flat_world() -> CompiledWorld:
    """A plain of 400 m × 400 m with one ring road, 60 m in radius, driven anticlockwise."""
    corners = EXTENT * np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]])
    ground = Mesh(
        np.column_stack([corners, np.zeros(4)]),
        np.array([[0, 1, 2], [0, 2, 3]], dtype=np.int32),
        np.full(2, Surface.CARRIAGEWAY, dtype=np.uint8),
    )
    nothing = Mesh(np.zeros((0, 3)), np.zeros((0, 3), np.int32), np.zeros(0, np.uint8))
    angle = np.linspace(0.0, 2 * np.pi, 241)
    ring = RADIUS * np.column_stack([np.cos(angle), np.sin(angle), 0 * angle])
    half = len(ring) // 2
    lanes = [
        LaneRecord(0, line, 3.5, 13.9, "residential", False, (following,))
        for line, following in ((ring[: half + 1], 1), (ring[half:], 0))
    ]
    world = CompiledWorld(
        name="flat",
        digest="flat",
        origin=(-31.9728, 115.827),
        bounds=(-EXTENT, -EXTENT, EXTENT, EXTENT),
        driving_side="left",
        ground=ground,
        buildings=nothing,
        houses=(),
        roads=RoadNetwork.from_lanes(lanes),
        invariants=(),
        left_out=(),
        attribution="",
    )
    return sort_into_tiles(world)


def impreza_world(
    robots: int = 1, program: str | None = None, **placed: object
) -> WorldDescription:
    """`robots` times the shipped car, on lanes unless `placed` says where."""
    impreza = load_robot(ROOT / "robots" / "impreza.xml")
    first = PlacedRobot("impreza", impreza, program=program, **placed)
    return WorldDescription(
        name="flat",
        source=Path("flat.xml"),
        graphics=GraphicsDescription(),
        physics=PhysicsDescription(),
        terrain=TerrainDescription(Path("flat.osm"), MapSetup("flat")),
        robots=tuple(
            replace(first, name="impreza" if k == 0 else f"impreza{k}") for k in range(robots)
        ),
    )
