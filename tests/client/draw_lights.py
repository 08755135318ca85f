"""Draws lights, day times and weathers with one renderer. Writes an .npz.

Usage: draw_lights.py RENDERER FILE
"""

import sys
from dataclasses import replace
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))

from synthetic_town import car_state, car_world, compiled_town

from autosim.client.scene.viewer import Viewer
from autosim.config.world_settings import SkyDescription
from autosim.kinds.actuators.light import HeadLightDevice, LightDevice
from autosim.world.compiled.compiled_world import PropKind, Props, no_props
from autosim.world.compiled.tile_grid import sort_into_tiles
from autosim.world.geometry.meshes import Mesh, Surface, joined

NIGHT = SkyDescription(hours=0.0)
NO_PROPS = no_props()
LIGHTS = (
    HeadLightDevice(
        name="head", part="chassis", position=(2.25, 0, 0), direction=(0.995, 0, -0.1), range=60.0
    ),
    LightDevice(
        name="tail",
        part="chassis",
        position=(-2.4, 0.5, 0.1),
        direction=(-1, 0, 0),
        colour=(1.0, 0.1, 0.1),
        diameter=0.3,
    ),
)
SKIES = {
    "noon": SkyDescription(hours=12.0),
    "fog": SkyDescription(visibility=50.0),
    "rain": SkyDescription(rain=1.0, wetness=1.0, clouds=1.0),
    "dry": SkyDescription(clouds=1.0),
    "wet": SkyDescription(wetness=1.0, clouds=1.0),
    "snow": SkyDescription(snow=1.0, clouds=1.0),
    "white": SkyDescription(snow_cover=1.0, clouds=1.0),
}


def lit_world():
    world = car_world(model=True)
    (placed,) = world.robots
    robot = replace(placed.robot, devices=(*placed.robot.devices, *LIGHTS))
    return replace(world, robots=(replace(placed, robot=robot),))


def state_with(world, time=0.0, **intensities):
    state = car_state(world, x=-60.0)
    state.ints[1] = round(1e9 * time)
    for name, value in intensities.items():
        state.floats[state.tree.find(f"car.chassis.{name}").start // 8] = value
    return state


def strip(z, low, high, *, surface, up=True):
    """A level strip from y = low to high, 120 m long about the car, of squares 10 m long."""
    x = np.arange(-120.0, 1.0, 10.0)
    count = len(x)
    vertices = np.array([(a, y, z) for y in (low, high) for a in x])
    a = np.arange(count - 1)
    triangles = np.vstack(
        [np.column_stack([a, a + 1, a + count + 1]), np.column_stack([a, a + count + 1, a + count])]
    ).astype(np.int32)
    kinds = np.full(len(triangles), surface, dtype=np.uint8)
    return Mesh(vertices, triangles if up else triangles[:, ::-1], kinds)


DECK = strip(6.0, -20.0, 20.0, surface=Surface.CONCRETE)
TUNNEL = joined(
    [
        strip(-6.0, -4.0, 8.0, surface=Surface.CARRIAGEWAY),
        strip(-1.0, -4.0, 8.0, surface=Surface.CONCRETE, up=False),
        strip(-0.5, -4.0, 8.0, surface=Surface.CONCRETE),
        strip(-6.5, -4.0, 8.0, surface=Surface.CONCRETE, up=False),
    ]
)


STREET_LAMP = Props(
    kinds=np.array([PropKind.LAMP], dtype=np.uint8),
    positions=np.array([[-40.0, 5.0, 0.15]]),
    yaws=np.array([-np.pi / 2]),
    heights=np.array([6.5]),
)


def look_at_a_street_lamp(renderer):
    """What the front camera of a car sees of a street with a lamp, by night and by day."""
    world = car_world(model=True)
    (placed,) = world.robots
    own = replace(LIGHTS[0], automatic=1.0, direction=(1, 0, 0))
    lit = replace(placed.robot, devices=(*placed.robot.devices, own))
    pictures = {}
    for name, robot in (("lamp", placed.robot), ("automatic", lit)):
        shown = replace(world, robots=(replace(placed, robot=robot),))
        state = car_state(shown, x=-60.0)
        town = sort_into_tiles(
            replace(compiled_town(), props=STREET_LAMP if name == "lamp" else NO_PROPS)
        )
        viewer = Viewer(
            shown, town, state.tree, width=160, height=120, onscreen=False, renderer=renderer
        )
        viewer.update(state)
        for sky in ("night", "noon"):
            viewer.show_sky(NIGHT if sky == "night" else SKIES["noon"])
            pictures[f"{name} {sky}"] = viewer.image("car.chassis.front")
        viewer.close()
    return pictures


def look_from_under(structures, z, renderer):
    """What the front camera sees in all weathers of a car at z [m] with structures about it."""
    world = car_world(model=True)
    state = car_state(world, x=-60.0, z=z)
    town = sort_into_tiles(replace(compiled_town(), structures=structures))
    viewer = Viewer(
        world, town, state.tree, width=160, height=120, onscreen=False, renderer=renderer
    )
    viewer.update(state)
    pictures = {}
    for name, sky in {"night": NIGHT, **SKIES}.items():
        viewer.show_sky(sky)
        pictures[name] = viewer.image("car.chassis.front")
    viewer.close()
    return pictures


def main(renderer, file):
    world = lit_world()
    dark = state_with(world)
    pictures = {}
    viewer = Viewer(
        world, compiled_town(), dark.tree, width=160, height=120, onscreen=False, renderer=renderer
    )

    def draw(name, state, sky):
        viewer.show_sky(sky)
        viewer.update(state)
        pictures[name] = viewer.image()
        pictures[f"{name} ahead"] = viewer.image("car.chassis.front")

    day = world.graphics.sky
    draw("day", dark, day)
    draw("day lit", state_with(world, tail=1.0, head=1.0), day)
    draw("night", dark, NIGHT)
    draw("night tail", state_with(world, tail=1.0), NIGHT)
    draw("night half", state_with(world, tail=0.3), NIGHT)
    draw("night head", state_with(world, head=1.0), NIGHT)
    draw("night head again", state_with(world, head=1.0), NIGHT)
    for name, sky in SKIES.items():
        draw(name, dark, sky)
    draw("rain later", state_with(world, time=0.1), SKIES["rain"])
    draw("day later", state_with(world, time=0.1), day)
    draw("rain later again", state_with(world, time=0.1), SKIES["rain"])
    draw("rain again", dark, SKIES["rain"])
    draw("day again", dark, day)
    viewer.close()
    for place, structures, z in (("deck", DECK, 0.68), ("tunnel", TUNNEL, -5.32)):
        seen = look_from_under(structures, z, renderer)
        pictures |= {f"{place} {name}": picture for name, picture in seen.items()}
    pictures |= look_at_a_street_lamp(renderer)
    np.savez(file, **pictures)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
