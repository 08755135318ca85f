"""Devices of one kind on one body in a scene of plates, without physics."""

from dataclasses import replace

import numpy as np

from autosim.kinds.banks import BankContext, MountedDevice, Weather
from autosim.kinds.device_banks import DeviceBanks
from autosim.kinds.kind import kind_of
from autosim.model.bodies import BodyStates
from autosim.model.state import State
from autosim.model.tree import SimulationTree
from autosim.rays.caster import RayCaster
from autosim.rays.ray_scene import RayScene
from autosim.world.geometry.map_projection import MapProjection
from autosim.world.geometry.meshes import Mesh, Surface

STEP = 1 / 240


def plate(corners, surface=Surface.WALL):
    """A quadrilateral (4, 3) [m] in W."""
    triangles = np.array([[0, 1, 2], [0, 2, 3]], dtype=np.int32)
    return Mesh(np.array(corners, dtype=float), triangles, np.full(2, surface, dtype=np.uint8))


def wall(x, *, width=20.0, turned=0.0, surface=Surface.WALL):
    """An upright plate about (x, 0) [m], 20 m high, turned to the left by an angle [rad]."""
    side = 0.5 * width * np.array([-np.sin(turned), np.cos(turned)])
    low, high = np.array([x, 0.0]) - side, np.array([x, 0.0]) + side
    return plate([(*low, -10), (*high, -10), (*high, 10), (*low, 10)], surface)


CLEAR_AIR = Weather()


class Alone:
    """Devices of one kind on a body at the origin that heads east.

    Args:
        devices: their records.
        meshes: what they see.
        seed: of the run.
    """

    def __init__(self, *devices, meshes=(), seed=0, air=CLEAR_AIR):
        tree = SimulationTree()
        nodes = [tree.register(kind_of(each).node(each.name, each)) for each in devices]
        rays = RayCaster(RayScene(meshes), robots=np.zeros(1, dtype=np.int64))
        context = BankContext(STEP, seed, MapProjection((0.0, 0.0)), rays=rays, air=air)
        mounted = [MountedDevice(node, each, 0) for node, each in zip(nodes, devices, strict=True)]
        self.state, self.bodies, self._nodes = State(tree.lay_out()), BodyStates(1), nodes
        self._banks = DeviceBanks({type(devices[0]): mounted}, replace(context))

    def sense(self, step=0):
        """Lets them measure at the end of a step."""
        self.state.ints[0] = step
        self._banks.sense(self.bodies, self.state)
        return self

    def values(self, number=0, field=0):
        """A field of one of them."""
        node = self._nodes[number]
        return self.state.value(node, node.fields[field])
