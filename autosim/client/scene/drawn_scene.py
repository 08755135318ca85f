"""The scene: the compiled world and the robots, lit; one `State` moves all that moves."""

import numpy as np

from autosim.arrays import Floats
from autosim.client.materials.facades import facade_looks
from autosim.client.materials.material_kinds import Material, ShaderKind
from autosim.client.materials.material_states import Materials
from autosim.client.materials.picture_quality import QUALITIES
from autosim.client.materials.shader_kinds import mark
from autosim.client.materials.surfaces import looks_of_setup, surface_looks
from autosim.client.materials.texture_images import TextureImage
from autosim.client.materials.textures import leaf_texture
from autosim.client.models.model_library import ModelLibrary
from autosim.client.models.model_pieces import Piece, in_cells
from autosim.client.models.piece_nodes import add_piece_groups
from autosim.client.panda.panda_imports import core
from autosim.client.panda.renderer import Renderer
from autosim.client.scene.robot_nodes import RobotNodes, set_labels, set_motion
from autosim.client.sky_and_light.atmosphere import Atmosphere
from autosim.client.sky_and_light.daylight import Daylight
from autosim.client.sky_and_light.rain_cover import RainCover
from autosim.client.sky_and_light.robot_lamps import RobotLamps
from autosim.client.sky_and_light.sky_box import make_sky_box
from autosim.client.tiles.beyond.land_beyond import land_beyond
from autosim.client.tiles.ground.snow_tracks import SnowTracks
from autosim.client.tiles.house_meshes import Houses
from autosim.client.tiles.occlusion import Frustum
from autosim.client.tiles.tile_meshes import TileMeshes
from autosim.client.tiles.tile_nodes import TileNodes
from autosim.client.traffic.signal_lights import SignalLights
from autosim.client.traffic.traffic_nodes import TrafficNodes
from autosim.config.descriptions import MapSetup, WorldDescription
from autosim.config.files.lookup import Roots, locate
from autosim.config.maps.map_pictures import picture_roots
from autosim.config.world_settings import SkyDescription
from autosim.model.state import State
from autosim.model.tree import SimulationTree
from autosim.world.compiled.compiled_world import CompiledWorld
from autosim.world.compiled.tile_grid import TileGrid
from autosim.world.geometry.meshes import Surface

_SURROUNDINGS_CELL = 1200.0
"""Edge [m] of the squares in which the land beyond the map is culled: a picture shows a few."""

_VAST_KINDS = {Surface.WATER: ShaderKind.GLOSSY, Surface.WALL: ShaderKind.WALL}
"""Kinds of shader of the surfaces beyond the map that are not `VAST`: water has haze per pixel,
too; walls are small enough for haze per vertex."""


class Scene:
    """Everything that is drawn.

    Args:
        renderer: decides what light there can be.
        world: its robots and graphics settings.
        compiled: the place, in tiles.
        tree: the tree of the states that `update` takes.

    `root` is Panda3D's node above all.
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
        self._warnings: list[str] = []
        setup, roots = world.terrain.setup, locate(world.source)[1]
        pictures = picture_roots(setup.source, roots) if setup.source else roots
        standing = self.root.attachNewNode("tiles")
        roofs = RainCover(compiled)
        self._atmosphere = Atmosphere(
            renderer,
            self.root,
            standing=standing,
            graphics=graphics,
            compiled=compiled,
            roofs=roofs,
            sky_box=self._make_sky_box(setup, pictures),
        )
        self._is_frugal = renderer.capabilities.is_software
        quality = QUALITIES[graphics.quality]
        self._materials = Materials(
            is_frugal=self._is_frugal and not quality.blends_levels,
            # A processor takes far too long for it.
            anisotropy=1 if self._is_frugal else quality.anisotropy,
        )
        self._library = ModelLibrary(roots)
        self._tiles = self._make_tiles(
            standing, compiled, setup=setup, roots=pictures, far=graphics.far
        )
        self._add_surroundings(compiled)
        set_labels(self.root, number=0)
        set_motion(self.root, np.zeros((4, 4)))
        robots = self.root.attachNewNode("robots")
        mark(robots, ShaderKind.GLOSSY)
        self._robots = RobotNodes(
            robots, world=world, tree=tree, library=self._library, materials=self._materials
        )
        has_shaders = renderer.capabilities.has_shaders
        self._crowd = TrafficNodes(
            robots, tree=tree, library=self._library, roofs=roofs, has_shaders=has_shaders
        )
        self._tracks = SnowTracks(self.root, compiled.roads, roofs) if has_shaders else None
        self._signals = SignalLights(
            self.root,
            tree=tree,
            compiled=compiled,
            materials=self._materials,
            has_shaders=has_shaders,
        )
        self._lamps = RobotLamps(
            self.root, world=world, tree=tree, roofs=roofs, has_shaders=has_shaders
        )

    @property
    def warnings(self) -> tuple[str, ...]:
        """The models and pictures that could not be shown so far, and why."""
        return (*self._warnings, *self._library.warnings)

    @property
    def tiles(self) -> TileNodes:
        """The tiles of the world that are there."""
        return self._tiles

    def update(self, state: State) -> None:
        """Moves every part and wheel to where `state` has it."""
        self._robots.update(state)
        self._crowd.update(state)
        self._signals.update(state)
        self._lamps.update(state)
        self._atmosphere.update(state.time)

    def compare(self, before: State, now: State) -> None:
        """Tells everything that moves where it was `before`, for programs that draw motion."""
        self._robots.compare(before, now)
        self._crowd.compare(before)

    def show_sky(self, sky: SkyDescription) -> Daylight:
        """Draws another day time and weather from now on."""
        daylight = self._atmosphere.show(sky)
        self._lamps.show(daylight)
        if self._tracks is not None:
            self._tracks.show(daylight)
        self._crowd.show(daylight)
        self._signals.show(daylight)
        return daylight

    def equip(self, camera: core.Camera) -> None:
        """Tells a camera, before each of its pictures, how to draw what glosses or is wet."""
        self._atmosphere.equip(camera)

    def fetch(self, eye: Floats, *, camera: str, frustum: Frustum | None) -> None:
        """Has all tiles there that a camera at `eye` (3,) [m] can see, and hides what it cannot."""
        self._tiles.update_visible(camera, eye)
        self._tiles.hide(frustum if self._is_frugal else None)
        self._crowd.update_visible(eye, frustum)
        self._signals.look(eye)

    def follow(
        self,
        eye: Floats,
        forward: Floats,
        *,
        camera: str = "",
        budget: int | None = None,
        frustum: Frustum | None = None,
    ) -> None:
        """Fits tiles, sky, shadows and lights to a camera that is drawn next.

        Args:
            eye: (3,) [m] where it is.
            forward: (3,) where it looks.
            camera: its name, see `TileNodes.update_visible`.
            budget: the same.
            frustum: what it sees at most, if known: where the processor draws, what is
                hidden from it is left out.
        """
        self._tiles.update_visible(camera, eye, budget=budget)
        self._tiles.hide(frustum if self._is_frugal else None)
        self._crowd.update_visible(eye, frustum)
        self._signals.look(eye)
        if self._tracks is not None:
            self._tracks.follow(eye)
        cones = self._lamps.cones(eye)
        self._atmosphere.follow(eye, forward, cones=cones, changes=self._tiles.changes)

    def _make_tiles(
        self,
        root: core.NodePath,
        compiled: CompiledWorld,
        *,
        setup: MapSetup,
        roots: Roots,
        far: float,
    ) -> TileNodes:
        looks = facade_looks() | looks_of_setup(
            setup, bounds=compiled.bounds, roots=roots, warnings=self._warnings
        )
        grid = TileGrid.of(compiled.bounds)
        houses = Houses(compiled, library=self._library, looks=looks)
        steps = setup.camera_steps_per_tile
        reach = detail_distance(setup, far)
        return TileNodes(
            root,
            meshes=TileMeshes(
                compiled,
                grid=grid,
                looks=looks,
                houses=houses,
                roads_in_full=setup.road_levels_of_detail == 1,
                markings_up_to=reach / max((setup.road_levels_of_detail or 1) - 1, 1),
            ),
            materials=self._materials,
            grid=grid,
            leaves=Material(TextureImage("leaves", leaf_texture())),
            reach=reach,
            far=far,
            step=setup.tile_size / steps if steps > 0.0 else 0.0,
        )

    def _make_sky_box(self, setup: MapSetup, roots: Roots) -> core.NodePath | None:
        if setup.sky_box is None:
            return None
        return make_sky_box(setup.sky_box, roots=roots, warnings=self._warnings)

    def _add_surroundings(self, compiled: CompiledWorld) -> None:
        looks = surface_looks()
        pieces = [
            Piece(
                mesh,
                Material(
                    looks[surface].picture,
                    _VAST_KINDS.get(surface, ShaderKind.VAST),
                    # Streets lie on the land, and on the ground up to the border.
                    depth_offset=1 if surface is Surface.CARRIAGEWAY else 0,
                ),
                casts_shadow=False,
            )
            for surface, mesh in land_beyond(compiled).items()
        ]
        parent = self.root.attachNewNode("surroundings")
        add_piece_groups(parent, in_cells(pieces, _SURROUNDINGS_CELL), self._materials)


def detail_distance(setup: MapSetup, far: float) -> float:
    """Distance [m] up to which the world is drawn in full, at most `far`, to which it is drawn.

    From one ring of `LayersOfEachLOD` tiles to the next the detail falls by one from
    `MaximumLOD`; at none, tiles are drawn from afar. With one level of detail there is no afar.
    """
    if setup.terrain_levels_of_detail == 1:
        return far
    return min(setup.tile_size * setup.layers_of_each_lod * setup.maximum_lod, far)
