"""The table says of each place what the nearest point of the curve says, whatever the curve."""

from itertools import pairwise, product

import numpy as np
import pytest

from autosim.arrays import Booleans, Floats
from autosim.tracks.curve import Curve
from autosim.tracks.curvilinear_table import CurvilinearPoints, CurvilinearTable

SIZE = 96
WIDTH = 5.0  # m


def oval() -> Floats:
    angles = np.linspace(0.0, 2.0 * np.pi, 120, endpoint=False)
    return np.column_stack([12.0 * np.cos(angles), 8.0 * np.sin(angles)])


def eight() -> Floats:
    angles = np.linspace(0.0, 2.0 * np.pi, 160, endpoint=False)
    return np.column_stack([15.0 * np.sin(angles), 8.0 * np.sin(2.0 * angles)])


def hairpin() -> Floats:
    bend = np.linspace(-0.5 * np.pi, 0.5 * np.pi, 12)
    turn = np.column_stack([20.0 + 1.8 * np.cos(bend), 1.8 + 1.8 * np.sin(bend)])
    out = np.column_stack([np.arange(0.0, 20.0, 0.5), np.zeros(40)])
    return np.vstack([out, turn, np.add(out, (0.0, 3.6))[::-1]])


def loop() -> Floats:
    """An open curve that crosses itself once."""
    angles = np.linspace(-0.8 * np.pi, 0.8 * np.pi, 80)
    return np.column_stack([10.0 * np.sin(angles), 6.0 * np.cos(angles) + 2.0 * angles])


def bent() -> Floats:
    """Few points with sharp corners to both sides."""
    return np.array([[0.0, 0.0], [8.0, 0.0], [8.0, 7.0], [15.0, 9.0], [6.0, 16.0]])


CURVES = {
    "oval": (oval(), True),
    "eight": (eight(), True),
    "hairpin": (hairpin(), False),
    "loop": (loop(), False),
    "bent": (bent(), False),
    "triangle": (np.array([[0.0, 0.0], [20.0, 0.0], [6.0, 14.0]]), True),
}


def extension_of(table: CurvilinearTable) -> float:
    return max(float(table.curve.lengths.max()), np.sqrt(2.0) * WIDTH)


def is_near_end(table: CurvilinearTable, truth: CurvilinearPoints) -> Booleans:
    """Where an open curve's extension ends within a texel or two."""
    margin = 2.0 / table.square.per_metre
    beyond = truth.distance - table.curve.length
    near = np.maximum(beyond, -truth.distance) > extension_of(table) - margin
    return near & (not table.curve.is_closed)


def texel_middles(table: CurvilinearTable) -> tuple[Floats, Floats]:
    size = table.values.shape[0]
    steps = (np.arange(size) + 0.5) / table.square.per_metre
    return np.meshgrid(table.square.west + steps, table.square.south + steps)


def true_places(curve: Curve, x: Floats, y: Floats, extension: float) -> CurvilinearPoints:
    """By brute force: the nearest point of all segments, those of the extensions too."""
    ends = np.vstack([curve.points, curve.points[:1]]) if curve.is_closed else curve.points
    distances, tangents = curve.distances, np.vstack([curve.tangents, curve.tangents[:1]])
    if not curve.is_closed:
        first, last = curve.directions[0], curve.directions[-1]
        ends = np.vstack([ends[0] - extension * first, ends, ends[-1] + extension * last])
        distances = np.concatenate([[-extension], distances, [curve.length + extension]])
        tangents = np.vstack([first, curve.tangents, last])
    best = CurvilinearPoints(*(np.full(x.shape, np.inf) for _ in range(5)))
    for k, (a, b) in enumerate(pairwise(ends)):
        length = float(np.hypot(*(b - a)))
        ux, uy = (b - a) / length
        along = np.clip((x - a[0]) * ux + (y - a[1]) * uy, 0.0, length)
        dx, dy = x - a[0] - along * ux, y - a[1] - along * uy
        away = np.hypot(dx, dy)
        nearer = away < np.abs(best.offset)
        mixed = tangents[k] + (along / length)[..., None] * (tangents[k + 1] - tangents[k])
        left = np.where(mixed[..., 0] * dy - mixed[..., 1] * dx >= 0.0, 1.0, -1.0)
        found = (distances[k] + along, left * away, mixed[..., 0], mixed[..., 1])
        for into, value in zip(best, found, strict=False):
            into[nearer] = value[nearer]
    best.in_bounds[:] = np.where(np.abs(best.offset) <= 0.5 * WIDTH, 1.0, -1.0)
    return best


def apart(first: Floats, second: Floats, length: float) -> Floats:
    """Differences of distances, the shorter way around."""
    difference = np.abs(first - second)
    return np.minimum(difference, np.abs(difference - length)) if length else difference


def is_clear(table: CurvilinearTable, x: Floats, y: Floats, most: float) -> Booleans:
    """Where the nearest point of the curve moves by at most so many texels within one: no jump."""
    curve, texel, extension = table.curve, 1.0 / table.square.per_metre, extension_of(table)
    here = true_places(curve, x, y, extension)
    steady = np.ones(x.shape, dtype=bool)
    length = curve.length if curve.is_closed else 0.0
    for dx, dy in product((-texel, 0.0, texel), repeat=2):
        there = true_places(curve, x + dx, y + dy, extension)
        steady &= apart(here.distance, there.distance, length) < most * texel
    return steady


@pytest.fixture(params=CURVES)
def drawn(request: pytest.FixtureRequest) -> CurvilinearTable:
    points, is_closed = CURVES[request.param]
    return CurvilinearTable.of(points, is_closed=is_closed, width=WIDTH, size=SIZE)


def test_each_texel_is_within_one_texel_of_the_truth(drawn: CurvilinearTable) -> None:
    x, y = texel_middles(drawn)
    texel = 1.0 / drawn.square.per_metre
    truth = true_places(drawn.curve, x, y, extension_of(drawn))
    inside = drawn.values[..., 4] > 0.0
    rim = np.abs(np.abs(truth.offset) - 0.5 * WIDTH) < texel
    rim |= is_near_end(drawn, truth)
    assert np.array_equal(inside[~rim], truth.in_bounds[~rim] > 0.0)
    assert np.count_nonzero(inside) > SIZE
    distance, offset, cosine, sine = (drawn.values[..., k] for k in range(4))
    # How near the curve is: everywhere. Which part of it, and what it says: where that is certain.
    assert np.abs(np.abs(offset) - np.abs(truth.offset))[inside].max() < texel
    clear = inside & is_clear(drawn, x, y, 3.0)
    assert np.count_nonzero(clear) > 0.9 * np.count_nonzero(inside)
    assert apart(distance, truth.distance, drawn.square.length)[clear].max() < texel
    assert np.abs(offset - truth.offset)[clear].max() < texel
    turned = np.arctan2(
        cosine * truth.sine - sine * truth.cosine, cosine * truth.cosine + sine * truth.sine
    )
    assert np.abs(turned[clear]).max() < 0.1


def test_between_texels_the_table_is_linear(drawn: CurvilinearTable) -> None:
    random = np.random.default_rng(1)
    low, high = drawn.curve.points.min(axis=0), drawn.curve.points.max(axis=0)
    x, y = random.uniform(low, high, (4000, 2)).T
    texel = 1.0 / drawn.square.per_metre
    truth = true_places(drawn.curve, x, y, extension_of(drawn))
    found = drawn.look_up(x, y)
    known = np.abs(truth.offset) < 0.5 * WIDTH - 2.0 * texel
    known &= ~is_near_end(drawn, truth)
    assert np.all(found.in_bounds[known] == pytest.approx(1.0))
    known &= is_clear(drawn, x, y, 1.6)
    assert np.count_nonzero(known) > 500
    assert apart(found.distance, truth.distance, drawn.square.length)[known].max() < texel
    assert np.abs(found.offset - truth.offset)[known].max() < texel


def test_across_the_start_of_a_closed_curve_no_distance_is_between_both_ends() -> None:
    table = CurvilinearTable.of(oval(), is_closed=True, size=SIZE)
    y = np.linspace(-0.5, 0.5, 999)
    found = table.look_up(np.full(999, 12.3), y)
    assert found.distance.min() >= 0.0
    assert found.distance.max() <= table.curve.length
    ahead = np.where(
        found.distance > 0.5 * table.curve.length,
        found.distance - table.curve.length,
        found.distance,
    )
    assert np.abs(ahead - y).max() < 1.0 / table.square.per_metre


def test_the_offset_is_positive_to_the_left() -> None:
    table = CurvilinearTable.of([[0.0, 0.0], [10.0, 0.0]], size=64)
    found = table.look_up([5.0, 5.0], [1.0, -1.0])
    assert found.offset == pytest.approx([1.0, -1.0], abs=1e-5)
    assert found.distance == pytest.approx([5.0, 5.0], abs=1e-5)
    assert found.cosine == pytest.approx([1.0, 1.0])


def test_the_heading_passes_half_a_turn_without_harm() -> None:
    angles = np.linspace(0.9 * np.pi, 1.1 * np.pi, 30)
    points = 30.0 * np.column_stack([np.sin(angles), -np.cos(angles)])
    table = CurvilinearTable.of(points, size=SIZE)
    middle = points[10:20]
    found = table.look_up(middle[:, 0], middle[:, 1])
    error = np.cos(angles[10:20]) * found.sine - np.sin(angles[10:20]) * found.cosine
    assert np.abs(error).max() < 0.01


def test_before_its_start_an_open_curve_goes_on_straight() -> None:
    table = CurvilinearTable.of([[0.0, 0.0], [10.0, 0.0]], size=64)
    found = table.look_up([-3.0, 12.0], [0.5, 0.5])
    assert found.distance == pytest.approx([-3.0, 12.0], abs=1e-4)
    assert found.in_bounds == pytest.approx([1.0, 1.0])


def test_beyond_the_width_and_the_square_all_is_out_of_bounds() -> None:
    table = CurvilinearTable.of([[0.0, 0.0], [10.0, 0.0]], size=64)
    x = [5.0, 5.0, 1e9, -1e9, np.nan, np.inf, 5.0]
    y = [3.0, -3.0, 0.0, 0.0, 0.0, 0.0, np.nan]
    assert np.all(table.look_up(x, y).in_bounds < 0.0)


def test_at_the_rim_values_are_not_mixed_with_nothing() -> None:
    table = CurvilinearTable.of([[0.0, 0.0], [40.0, 0.0]], size=64)
    y = np.linspace(0.0, 4.0, 400)
    found = table.look_up(np.full(400, 30.0), y)
    inside = found.in_bounds > 0.0
    texel = 1.0 / table.square.per_metre
    assert y[inside].max() == pytest.approx(2.5, abs=texel)
    assert np.abs(found.distance[inside] - 30.0).max() < texel
    assert np.abs(found.offset - y)[inside].max() < texel


def test_the_square_holds_the_car() -> None:
    table = CurvilinearTable.of([[0.0, 0.0], [10.0, 0.0]], size=64, around=(5.0, 40.0))
    side = 64 / table.square.per_metre
    assert table.square.south < 40.0 < table.square.south + side


def test_repeated_points_change_nothing() -> None:
    points = bent()
    repeated = np.repeat(points, 3, axis=0)
    once, often = CurvilinearTable.of(points, size=64), CurvilinearTable.of(repeated, size=64)
    assert np.array_equal(once.values, often.values)


@pytest.mark.parametrize(
    ("points", "is_closed", "message"),
    [
        ([[0.0, 0.0]], False, "at least 2 points"),
        ([[0.0, 0.0], [0.0, 0.0]], False, "at least 2 points"),
        ([[0.0, 0.0], [1.0, 0.0]], True, "at least 3 points"),
        ([[0.0, 0.0], [np.nan, 0.0]], False, "point 1 of the curve is not finite"),
        ([0.0, 1.0], False, r"shape \(n, 2\)"),
    ],
)
def test_points_that_are_no_curve_are_refused(
    points: list[list[float]], is_closed: bool, message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        CurvilinearTable.of(points, is_closed=is_closed)


@pytest.mark.parametrize("settings", [{"width": 0.0}, {"width": np.nan}, {"size": 1}])
def test_a_table_without_width_or_texels_is_refused(settings: dict[str, float]) -> None:
    with pytest.raises(ValueError, match="a table has a positive width"):
        CurvilinearTable.of([[0.0, 0.0], [1.0, 0.0]], **settings)  # type: ignore[arg-type]


def test_a_curve_that_turns_back_on_itself_has_a_table() -> None:
    table = CurvilinearTable.of([[0.0, 0.0], [5.0, 0.0], [1.0, 0.0]], size=64)
    assert np.isfinite(table.values).all()
    assert table.look_up(6.0, 0.0).in_bounds > 0.0
