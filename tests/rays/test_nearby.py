"""The triangles near a box, against a look at all of them."""

import numpy as np
import pytest

from autosim.arrays import Floats, Integers32
from autosim.jit import compiled
from autosim.rays.hierarchy import Hierarchy
from autosim.rays.nearby import triangles_near
from autosim.rays.ray_scene import RayScene
from autosim.world.geometry.meshes import Mesh


@compiled
def near(hierarchy: Hierarchy, box: Floats, found: Integers32) -> int:
    return triangles_near(hierarchy, (box[0], box[1], box[2]), (box[3], box[4], box[5]), found)


@pytest.fixture(scope="module")
def soup() -> Mesh:
    random = np.random.default_rng(2)
    middles = random.uniform(-20.0, 20.0, (3000, 1, 3))
    vertices = (middles + random.normal(0.0, 0.6, (3000, 3, 3))).reshape(-1, 3)
    triangles = np.arange(9000, dtype=np.int32).reshape(-1, 3)
    return Mesh(vertices, triangles, np.zeros(3000, dtype=np.uint8))


def found_in(scene: RayScene, box: Floats, most: int = 4000) -> tuple[int, list[int]]:
    places, count = np.zeros(most, dtype=np.int32), []

    def kernel(_: int) -> tuple[int, int]:
        count[:] = [near(scene.hierarchy, box, places)]
        return (-1 - count[0] if count[0] < 0 else -1), 0

    scene.complete(kernel)
    return count[0], sorted(scene.hierarchy.numbers[places[: min(count[0], most)]].tolist())


def test_they_are_those_whose_boxes_overlap_it(soup: Mesh) -> None:
    scene, random = RayScene([soup]), np.random.default_rng(3)
    corners = soup.vertices[soup.triangles]
    low, high = corners.min(axis=1), corners.max(axis=1)
    for _ in range(50):
        middle, half = random.uniform(-22.0, 22.0, 3), random.uniform(0.05, 4.0, 3)
        box = np.concatenate([middle - half, middle + half])
        expected = ((low <= box[3:]) & (high >= box[:3])).all(axis=1)
        assert found_in(scene, box)[1] == np.flatnonzero(expected).tolist()


def test_there_may_be_more_than_there_is_room_for(soup: Mesh) -> None:
    everything = np.array([-99.0, -99.0, -99.0, 99.0, 99.0, 99.0])
    count, numbers = found_in(RayScene([soup]), everything, most=10)
    assert count == 3000
    assert len(numbers) == 10


@pytest.mark.parametrize("broken", [0, 4])
def test_a_box_that_is_not_a_number_holds_nothing(soup: Mesh, broken: int) -> None:
    scene = RayScene([soup])
    box = np.array([-1.0, -1.0, -1.0, 1.0, 1.0, 1.0])
    box[broken] = np.nan
    assert found_in(scene, box)[0] == 0
    assert scene.hierarchy.used[1] < 3000


def test_nothing_is_near_where_there_is_nothing() -> None:
    assert found_in(RayScene([]), np.zeros(6))[0] == 0
