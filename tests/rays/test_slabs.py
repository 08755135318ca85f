"""The machine code of `enter_boxes` computes what its Python text says."""

import numpy as np

from autosim.jit import compiled
from autosim.rays.slabs import LANES, enter_boxes

NEAR, FAR = (0, 1, 2), (3, 4, 5)


@compiled
def compiled_entries(bounds, node, near, far, origin, inverse, best):
    return enter_boxes(bounds, node, near, far, origin, inverse, best)


def test_both_find_the_same_entries_to_the_last_bit():
    random = np.random.default_rng(7)
    entered = 0
    for _ in range(300):
        corners = np.sort(random.uniform(-5.0, 5.0, (2, 2, 3, LANES)), axis=1)
        bounds = corners.reshape(2, 6, LANES).astype(np.float32)
        origin = tuple(random.uniform(-6.0, 6.0, 3).tolist())
        way = random.uniform(-9.0, 9.0, 3)
        near = tuple(int(k + 3 * (way[k] < 0.0)) for k in range(3))
        far = tuple((each + 3) % 6 for each in near)
        inverse = tuple((1.0 / way).tolist())
        best = float(random.uniform(0.2, 1.0))
        arguments = (bounds, 1, near, far, origin, inverse, best)
        expected = enter_boxes(*arguments)
        assert compiled_entries(*arguments) == expected
        entered += int(np.isfinite(expected).sum())
    assert 50 < entered < 1100


def test_a_ray_that_starts_inside_enters_at_once_and_one_that_ends_before_never():
    bounds = np.zeros((1, 6, LANES), dtype=np.float32)
    bounds[0, 3:] = 1.0
    bounds[0, [0, 3], 1] += 10.0
    shares = enter_boxes(bounds, 0, NEAR, FAR, (0.5, 0.5, 0.5), (0.5, 1e30, 1e30), 1.0)
    assert shares[0] == 0.0
    assert shares[1] == np.inf
