"""The scene: the compiled world and the robots, lit; one `State` moves all that moves."""

from typing import Any

import numpy as np
import numpy.typing as npt

from autosim.client.buildings import building_meshes
from autosim.client.decals import add_decals
from autosim.client.geometry import DrawMesh
from autosim.client.houses import add_houses
from autosim.client.lighting import SHADOW_MASK, Sun, sun_direction
from autosim.client.meshes import chunks, concrete_meshes, ground_meshes
from autosim.client.models import ModelLibrary
from autosim.client.nodes import make_chunk, make_texture
from autosim.client.obstacles import add_obstacles
from autosim.client.palette import BEYOND, TEXTURE_METRES
from autosim.client.panda import core
from autosim.client.props import add_props
from autosim.client.renderer import Renderer
from autosim.client.robots import RobotNodes
from autosim.client.sky import make_sky
from autosim.client.textures import surface_texture
from autosim.config.descriptions import WorldDescription
from autosim.config.lookup import locate
from autosim.simulation.state import State
from autosim.simulation.tree import SimulationTree
from autosim.world.compiled import CompiledWorld, Surface

Floats = npt.NDArray[np.float64]
_BEYOND_METRES = 4000.0
_GLOSSY_SURFACES = (Surface.WALL, Surface.WATER)
_SEEN_UP_TO = {Surface.KERB: 250.0}
"""Distance [m] beyond which a surface is thinner than half a pixel, and not drawn."""


class Scene:
    """Everything that is drawn.

    Args:
        renderer: decides what light there can be.
        world: its robots and graphics settings.
        compiled: the place.
        tree: the tree of the states that `update` takes.

    `root` is Panda3D's node above all; `warnings` says which models could not be shown.
    """

    def __init__(
        self,
        renderer: Renderer,
        *,
        world: WorldDescription,
        compiled: CompiledWorld,
        tree: SimulationTree,
    ) -> None:
        self.root = core.NodePath("scene")
        # Without it a buffer with several samples a pixel costs as much and shows nothing of it.
        self.root.setAntialias(core.AntialiasAttrib.MMultisample)
        graphics = world.graphics
        self._sun = Sun(renderer, self.root, has_shadows=graphics.has_shadows, far=graphics.far)
        library = ModelLibrary(locate(world.source)[1])
        self._add_ground(compiled)
        self._add_structures(compiled)
        boxes = add_houses(self.root, compiled, library=library)
        tints = compiled.building_tints if len(compiled.building_tints) else None
        self._add_buildings(compiled, building_meshes(compiled.buildings, tints))
        self._add_buildings(compiled, building_meshes(boxes))
        add_decals(self.root, compiled)
        add_obstacles(self.root, compiled)
        add_props(self.root, compiled.props)
        self._sky = make_sky(sun_direction())
        self._sky.reparentTo(self.root)
        self._sky.setScale(0.95 * graphics.far)
        robots = self.root.attachNewNode("robots")
        self._sun.make_glossy(robots)
        self._robots = RobotNodes(robots, world=world, tree=tree, library=library)
        self.warnings = tuple(library.warnings)

    def update(self, state: State) -> None:
        """Moves every part and wheel to where `state` has it."""
        self._robots.update(state)

    def follow(self, eye: Floats, forward: Floats) -> None:
        """Fits sky and shadows to a camera at `eye` (3,) looking along `forward` (3,)."""
        self._sky.setPos(*eye)
        self._sun.follow(eye, forward)

    def _add_ground(self, compiled: CompiledWorld) -> None:
        ground = self.root.attachNewNode("ground")
        ground.hide(core.BitMask32(SHADOW_MASK))
        for surface, mesh in ground_meshes(compiled.ground).items():
            self._add_surface(ground, surface, chunks(mesh, compiled.bounds))
        self._add_surface(ground, Surface.GROUND, [_plain_beyond(compiled)])

    def _add_structures(self, compiled: CompiledWorld) -> None:
        """Bridges and tunnels, which cast shadows."""
        structures = self.root.attachNewNode("structures")
        drawn = ground_meshes(compiled.structures) | concrete_meshes(compiled.structures)
        for surface, mesh in drawn.items():
            self._add_surface(structures, surface, chunks(mesh, compiled.bounds))

    def _add_buildings(self, compiled: CompiledWorld, meshes: dict[Surface, DrawMesh]) -> None:
        buildings = self.root.attachNewNode("buildings")
        for surface, mesh in meshes.items():
            self._add_surface(buildings, surface, chunks(mesh, compiled.bounds))

    def _add_surface(self, parent: Any, surface: Surface, meshes: Any) -> None:
        node = parent.attachNewNode(surface.name.lower())
        node.setTexture(make_texture(surface.name.lower(), surface_texture(surface)))
        far = _SEEN_UP_TO.get(surface)
        for mesh in meshes:
            make_chunk(mesh, far=far).reparentTo(node)
        if surface in _GLOSSY_SURFACES:
            self._sun.make_glossy(node)


def _plain_beyond(compiled: CompiledWorld) -> DrawMesh:
    """A frame of ground around the world, just below its lowest point."""
    x_min, y_min, x_max, y_max = compiled.bounds
    xs = [x_min - _BEYOND_METRES, x_min, x_max, x_max + _BEYOND_METRES]
    ys = [y_min - _BEYOND_METRES, y_min, y_max, y_max + _BEYOND_METRES]
    z = float(compiled.ground.vertices[:, 2].min()) - 0.3
    vertices = np.array([(x, y, z) for y in ys for x in xs])
    triangles = [
        corner
        for row in range(3)
        for column in range(3)
        if (row, column) != (1, 1)
        for corner in _square(row * 4 + column)
    ]
    return DrawMesh(
        vertices=vertices.astype(np.float32),
        normals=np.broadcast_to(np.array([0, 0, 1], dtype=np.float32), (16, 3)),
        colours=np.broadcast_to(np.array(BEYOND, dtype=np.uint8), (16, 4)),
        uvs=(vertices[:, :2] / TEXTURE_METRES[Surface.GROUND]).astype(np.float32),
        triangles=np.array(triangles, dtype=np.int32),
    )


def _square(corner: int) -> list[tuple[int, int, int]]:
    """Two triangles of the square above and right of a corner of a 4 x 4 grid."""
    return [(corner, corner + 1, corner + 5), (corner, corner + 5, corner + 4)]
