"""Textures drawn by code: small, seeded, tileable, near white so that vertex colours tint them.

An array is (height, width, 4) uint8, first row at the bottom as graphics cards have it. The
fourth channel is matness: 255 is matt, less reflects the sky.
"""

import numpy as np
import numpy.typing as npt

from autosim.arrays import Bytes
from autosim.world.geometry.meshes import Surface

Pixels = Bytes
Floats = npt.NDArray[np.floating]
SIZE = 128
"""Edge [pixels] of a texture: over the few metres that one covers, some centimetres a pixel."""

_PLAIN_PIXELS = 8
"""Edge [pixels] of the corner of `leaf_texture` that is plain, for what has no leaves."""

PLAIN_PLACE = 0.5 * _PLAIN_PIXELS / SIZE
"""Texture coordinate of the middle of that corner, along both axes."""

_SEED = 20080229
"""Seed of all textures, so that every client draws the same ones."""


def surface_texture(surface: Surface) -> Pixels:
    """The texture of a surface, plain stone where it has none of its own; always the same."""
    generator = np.random.default_rng([_SEED, int(surface)])
    return _PAINTERS.get(surface, _stone)(generator)


def tileable_noise(
    generator: np.random.Generator, size: int, cells: int, octaves: int = 3
) -> Floats:
    """Smooth noise (size, size) in about -1..1 that repeats at its edges.

    A sum of octaves; each is white noise of `cells` x `cells`, interpolated, twice as fine and
    half as strong as the one before.
    """
    total = np.zeros((size, size))
    for octave in range(octaves):
        count = min(cells << octave, size)
        grid = generator.uniform(-1.0, 1.0, (count, count))
        total += _stretched(grid, size) * 0.5**octave
    return total / 1.5


def _stretched(grid: Floats, size: int) -> Floats:
    """A periodic grid interpolated to (size, size) with smooth steps."""
    count = len(grid)
    at = np.arange(size) * count / size
    low = at.astype(int)
    share = at - low
    share = share * share * (3 - 2 * share)
    high = (low + 1) % count
    rows = grid[low] * (1 - share)[:, None] + grid[high] * share[:, None]
    return np.asarray(rows[:, low] * (1 - share) + rows[:, high] * share)


def _grey(values: Floats, matness: int = 255) -> Pixels:
    """A grey picture from brightness (h, w) in 0..1."""
    level = np.clip(values * 255, 0, 255).astype(np.uint8)
    return np.stack([level, level, level, np.full_like(level, matness)], axis=2)


def _asphalt(generator: np.random.Generator) -> Pixels:
    grain = generator.normal(0.0, 0.035, (SIZE, SIZE))
    return _grey(0.92 + 0.04 * tileable_noise(generator, SIZE, 4) + grain)


def _grass(generator: np.random.Generator) -> Pixels:
    """Blades and faint patches, which `shaders` repeats once more in large, as broad patches."""
    patches = tileable_noise(generator, SIZE, 4, 4)
    blades = generator.normal(0.0, 0.055, (SIZE, SIZE))
    pixels = _grey(0.88 + 0.045 * patches + blades)
    warm = 1.0 + 0.035 * np.roll(patches, SIZE // 3, axis=1)
    pixels[..., 0] = np.clip(pixels[..., 0] * warm, 0, 255)
    pixels[..., 2] = np.clip(pixels[..., 2] * (2 - warm) * 0.95, 0, 255)
    return pixels


def leaf_texture() -> Pixels:
    """Leaves of a crown: bright ones over dark gaps."""
    generator = np.random.default_rng([_SEED, 1000])
    tone = np.full((SIZE, SIZE), 0.66) + 0.10 * tileable_noise(generator, SIZE, 8, 2)
    around = np.arange(-6, 7)
    dx, dy = np.meshgrid(around, around)
    for light in np.linspace(0.74, 1.0, 420):
        column, row = generator.integers(0, SIZE, 2)
        turn, length = generator.uniform(0.0, np.pi), generator.uniform(3.0, 6.0)
        along = dx * np.cos(turn) + dy * np.sin(turn)
        across = dy * np.cos(turn) - dx * np.sin(turn)
        is_leaf = (along / length) ** 2 + (2.0 * across / length) ** 2 < 1.0
        rows, columns = (row + dy[is_leaf]) % SIZE, (column + dx[is_leaf]) % SIZE
        tone[rows, columns] = light * generator.uniform(0.9, 1.0)
    tone += generator.normal(0.0, 0.02, (SIZE, SIZE))
    tone[:_PLAIN_PIXELS, :_PLAIN_PIXELS] = 0.92
    return _grey(tone)


def _slabs(generator: np.random.Generator, contrast: float = 0.07) -> Pixels:
    """Concrete slabs, 4 x 4 to a texture, with dark joints."""
    slab = SIZE // 4
    tone = np.kron(generator.uniform(0.97 - contrast, 0.97, (4, 4)), np.ones((slab, slab)))
    tone += generator.normal(0.0, 0.02, (SIZE, SIZE))
    joint = (np.arange(SIZE) % slab) < 1
    tone[joint, :] *= 0.80
    tone[:, joint] *= 0.80
    return _grey(tone)


def _even_slabs(generator: np.random.Generator) -> Pixels:
    """Slabs of hardly different tones, which do not show on a wide square how they repeat."""
    return _slabs(generator, contrast=0.02)


def _panes(generator: np.random.Generator) -> Pixels:
    """Upright bars of a frame, one at each edge, and dark glass between them that reflects."""
    pixels = _grey(0.90 + generator.normal(0.0, 0.01, (SIZE, SIZE)), matness=90)
    pixels[:, : SIZE // 20] = (60, 60, 62, 255)
    return pixels


def _stripes(generator: np.random.Generator) -> Pixels:
    """Upright stripes of cloth, 4 to a texture, every other one white."""
    is_white = np.arange(SIZE) * 8 // SIZE % 2 == 0
    tone = np.where(is_white, 0.98, 0.78) + np.zeros((SIZE, SIZE))
    return _grey(tone + generator.normal(0.0, 0.015, (SIZE, SIZE)))


def _setts(generator: np.random.Generator) -> Pixels:
    """Rows of stones, 12 x 8 to a texture, every other row shifted by half."""
    row, column = np.indices((SIZE, SIZE))
    course = row * 12 // SIZE
    along = (column * 8 / SIZE + course % 2 * 0.5) % 8.0
    tones = generator.uniform(0.80, 0.98, (12, 8))
    tone = tones[course, along.astype(int)]
    is_joint = (row * 12 % SIZE < 12) | (along % 1.0 < 8 / SIZE)
    return _grey(np.where(is_joint, 0.66, tone) + generator.normal(0.0, 0.02, (SIZE, SIZE)))


def _gravel(generator: np.random.Generator) -> Pixels:
    grain = generator.normal(0.0, 0.06, (SIZE, SIZE))
    return _grey(0.90 + 0.06 * tileable_noise(generator, SIZE, 4) + grain)


def _stone(generator: np.random.Generator) -> Pixels:
    return _grey(0.94 + generator.normal(0.0, 0.03, (SIZE, SIZE)))


def _water(generator: np.random.Generator) -> Pixels:
    return _grey(0.90 + 0.09 * tileable_noise(generator, SIZE, 8, 4))


def _wall(generator: np.random.Generator) -> Pixels:
    """One storey by one bay of plaster with a window: frame, panes that reflect, a sill."""
    pixels = _grey(0.94 + generator.normal(0.0, 0.012, (SIZE, SIZE)))
    _paint(pixels, (0.27, 0.22, 0.73, 0.27), (205, 203, 198, 255))
    _paint(pixels, (0.29, 0.28, 0.71, 0.83), (236, 236, 234, 255))
    for left, right in ((0.325, 0.485), (0.515, 0.675)):
        _paint(pixels, (left, 0.315, right, 0.795), (58, 72, 86, 70))
    _paint(pixels, (0.29, 0.83, 0.71, 0.85), (190, 188, 184, 255))
    return pixels


def facade_texture(name: str) -> Pixels:
    """One storey by one bay of a facade: "BRICK", "SHUTTERS", "PANELS" or "TALL"."""
    generator = np.random.default_rng([_SEED, *name.encode()])
    return _FACADES[name](generator)


def _window(pixels: Pixels, box: tuple[float, float, float, float], bars: int, sashes: int) -> None:
    """A framed window (left, bottom, right, top): upright bars, sashes one above another."""
    left, bottom, right, top = box
    _paint(pixels, box, (236, 236, 234, 255))
    width, height = (right - left) / (bars + 1), (top - bottom) / sashes
    for column in range(bars + 1):
        for row in range(sashes):
            x, y = left + column * width, bottom + row * height
            pane = (x + 0.018, y + 0.02, x + width - 0.018, y + height - 0.02)
            _paint(pixels, pane, (56, 70, 84, 70))


def _brick_facade(generator: np.random.Generator) -> Pixels:
    """Courses of bricks, a sash window under a lintel, and a stone sill."""
    row, column = np.indices((SIZE, SIZE))
    course = row // 3
    joints = (row % 3 == 0) | ((column + course % 2 * 4) % 8 == 0)
    tones = generator.uniform(0.84, 0.98, (SIZE // 3 + 1, SIZE // 8 + 1))
    tone = tones[course, (column + course % 2 * 4) // 8 % (SIZE // 8)]
    pixels = _grey(np.where(joints, 0.90, tone))
    _paint(pixels, (0.29, 0.84, 0.71, 0.92), (222, 216, 206, 255))
    _window(pixels, (0.32, 0.28, 0.68, 0.84), 1, 2)
    _paint(pixels, (0.28, 0.23, 0.72, 0.28), (214, 208, 198, 255))
    return pixels


def _shuttered_facade(generator: np.random.Generator) -> Pixels:
    """Rough plaster, and a small window between open shutters."""
    tone = 0.94 + 0.02 * tileable_noise(generator, SIZE, 6, 3)
    pixels = _grey(tone + generator.normal(0.0, 0.014, (SIZE, SIZE)))
    _window(pixels, (0.35, 0.32, 0.65, 0.80), 1, 1)
    for left in (0.215, 0.66):
        _paint(pixels, (left, 0.31, left + 0.125, 0.81), (112, 128, 108, 255))
        rows = np.arange(round(0.33 * SIZE), round(0.79 * SIZE), 3)
        columns = slice(round((left + 0.02) * SIZE), round((left + 0.105) * SIZE))
        pixels[rows, columns, :3] = (88, 102, 86)
    _paint(pixels, (0.33, 0.27, 0.67, 0.31), (202, 198, 190, 255))
    return pixels


def _panelled_facade(generator: np.random.Generator) -> Pixels:
    """Panels of concrete with joints, and a wide window over a darker parapet."""
    pixels = _grey(0.93 + generator.normal(0.0, 0.012, (SIZE, SIZE)))
    _paint(pixels, (0.06, 0.06, 0.94, 0.30), (204, 206, 208, 255))
    _window(pixels, (0.14, 0.33, 0.86, 0.80), 2, 1)
    pixels[:2, :, :3] = 176
    pixels[:, :2, :3] = 184
    return pixels


def _tall_facade(generator: np.random.Generator) -> Pixels:
    """Smooth plaster with a cornice at each floor, and a tall window in a moulded frame."""
    pixels = _grey(0.95 + generator.normal(0.0, 0.010, (SIZE, SIZE)))
    _paint(pixels, (0.0, 0.0, 1.0, 0.05), (226, 224, 218, 255))
    _paint(pixels, (0.0, 0.0, 1.0, 0.012), (176, 174, 168, 255))
    _paint(pixels, (0.28, 0.14, 0.72, 0.90), (246, 244, 240, 255))
    _paint(pixels, (0.26, 0.90, 0.74, 0.95), (232, 230, 224, 255))
    _window(pixels, (0.325, 0.18, 0.675, 0.86), 1, 2)
    return pixels


_FACADES = {
    "BRICK": _brick_facade,
    "SHUTTERS": _shuttered_facade,
    "PANELS": _panelled_facade,
    "TALL": _tall_facade,
}


def _roof(generator: np.random.Generator) -> Pixels:
    """Rows of tiles: each row fades to dark at its lower edge."""
    rows = 10
    within = (np.arange(SIZE) * rows / SIZE) % 1.0
    shade = 0.80 + 0.16 * np.minimum(within * 3.0, 1.0)
    tone = np.repeat(shade[:, None], SIZE, axis=1)
    tone += 0.03 * tileable_noise(generator, SIZE, 16, 2)
    return _grey(tone + generator.normal(0.0, 0.015, (SIZE, SIZE)))


def _slats(generator: np.random.Generator) -> Pixels:
    """Upright slats with dark gaps, 8 to a texture, and a rail behind them."""
    slat = SIZE // 8
    tone = np.kron(generator.uniform(0.86, 1.0, (1, 8)), np.ones((SIZE, slat)))
    gap = (np.arange(SIZE) % slat) < slat // 3
    tone[:, gap] = 0.45
    return _grey(tone + generator.normal(0.0, 0.02, (SIZE, SIZE)))


def _courses(generator: np.random.Generator) -> Pixels:
    """Courses of masonry, 8 high and 4 long to a texture, every other one shifted by half."""
    high, long = SIZE // 8, SIZE // 4
    row, column = np.indices((SIZE, SIZE))
    shifted = (column + (row // high % 2) * long // 2) % SIZE
    tones = generator.uniform(0.84, 0.97, (8, 4))
    tone = tones[row // high, shifted // long]
    tone = np.where((row % high < 1) | (shifted % long < 1), 0.72, tone)
    return _grey(tone + generator.normal(0.0, 0.02, (SIZE, SIZE)))


def _concrete(generator: np.random.Generator) -> Pixels:
    """Cast in boards: faint stains and a joint along each edge."""
    tone = 0.93 + 0.05 * tileable_noise(generator, SIZE, 5, 3)
    tone += generator.normal(0.0, 0.02, (SIZE, SIZE))
    tone[:1, :] *= 0.86
    tone[:, :1] *= 0.86
    return _grey(tone)


def _paint(
    pixels: Pixels, box: tuple[float, float, float, float], colour: tuple[int, int, int, int]
) -> None:
    """Fills (left, bottom, right, top), shares of the size, with one colour."""
    left, bottom, right, top = (round(share * SIZE) for share in box)
    pixels[bottom:top, left:right] = colour


_PAINTERS = {
    Surface.GROUND: _grass,
    Surface.CARRIAGEWAY: _asphalt,
    Surface.PAVEMENT: _slabs,
    Surface.PARK: _grass,
    Surface.WATER: _water,
    Surface.WALL: _wall,
    Surface.ROOF: _roof,
    Surface.MASONRY: _courses,
    Surface.TIMBER: _slats,
    Surface.HEDGE: _grass,
    Surface.CONCRETE: _concrete,
    Surface.PAVING: _even_slabs,
    Surface.SETT: _setts,
    Surface.ASPHALT: _asphalt,
    Surface.GRAVEL: _gravel,
    Surface.SHOP_WINDOW: _panes,
    Surface.AWNING: _stripes,
}
