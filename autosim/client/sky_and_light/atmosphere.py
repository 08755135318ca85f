"""All that day time and weather change: sun, sky, haze, and what falls from the clouds."""

from autosim.arrays import Floats
from autosim.client.materials.picture_quality import QUALITIES
from autosim.client.panda.panda_imports import core
from autosim.client.panda.renderer import Renderer
from autosim.client.sky_and_light.daylight import Daylight, make_daylight
from autosim.client.sky_and_light.headlight_beams import HeadlightBeams
from autosim.client.sky_and_light.lighting import Sun
from autosim.client.sky_and_light.precipitation import Precipitation
from autosim.client.sky_and_light.rain_cover import RainCover
from autosim.client.sky_and_light.sky import Sky
from autosim.client.sky_and_light.street_lamps import StreetLamps
from autosim.config.world_settings import GraphicsDescription, SkyDescription
from autosim.world.compiled.compiled_world import CompiledWorld


class Atmosphere:
    """Lights a scene and draws its sky.

    Args:
        renderer: decides what light there can be.
        root: the scene.
        standing: the node below it with what casts shadows and stands still.
        graphics: of the world.
        compiled: the place, with its latitude and longitude, and its street lamps.
        roofs: of the place.
        sky_box: a node to take instead of the dome of the sky.
    """

    def __init__(
        self,
        renderer: Renderer,
        root: core.NodePath,
        *,
        standing: core.NodePath,
        graphics: GraphicsDescription,
        compiled: CompiledWorld,
        roofs: RainCover,
        sky_box: core.NodePath | None = None,
    ) -> None:
        self._origin = compiled.origin
        daylight = make_daylight(graphics.sky, self._origin)
        self._sun = Sun(
            renderer,
            root,
            standing=standing,
            daylight=daylight,
            has_shadows=graphics.has_shadows,
            far=graphics.far,
            quality=QUALITIES[graphics.quality],
        )
        self._sky = Sky(root, radius=0.95 * graphics.far, box=sky_box)
        self._precipitation: Precipitation | None = None
        self._lamps: StreetLamps | None = None
        if renderer.capabilities.has_shaders:
            self._lamps = StreetLamps(root, compiled.props)
            self._precipitation = Precipitation(root, roofs)

    def show(self, sky: SkyDescription) -> Daylight:
        """Shows another day time and weather; returns its light."""
        daylight = make_daylight(sky, self._origin)
        self._sun.show(daylight)
        self._sky.show(sky, daylight)
        if self._lamps is not None:
            self._lamps.show(daylight)
        if self._precipitation is not None:
            self._precipitation.show(daylight)
        return daylight

    def equip(self, camera: core.Camera) -> None:
        """Tells a camera, before each of its pictures, how to draw what glosses or is wet."""
        self._sun.equip(camera)

    def update(self, time: float) -> None:
        """Moves rain and snow to their positions at the simulated `time` [s]."""
        if self._precipitation is not None:
            self._precipitation.update(time)

    def follow(
        self, eye: Floats, forward: Floats, *, cones: HeadlightBeams | None, changes: int
    ) -> None:
        """Fits sky, shadows, head lights and rain to a camera.

        Args:
            eye: (3,) [m] where it is.
            forward: (3,) where it looks.
            cones: the head lights that shine, if any.
            changes: how many times what stands has changed so far.
        """
        self._sky.follow(eye)
        self._sun.follow(eye, forward, changes=changes)
        if self._lamps is not None:
            self._lamps.follow(eye)
        self._sun.shine(cones, has_lamps=self._lamps is not None and self._lamps.are_lit)
        if self._precipitation is not None:
            self._precipitation.follow(eye)
