"""OpenGL draws the tables that the compiled rasteriser draws, to a texel."""

from collections.abc import Iterator

import numpy as np
import pytest

pytest.importorskip("panda3d")

from autosim.client.panda.renderer import open_renderer
from autosim.client.panda.renderer_errors import RendererError
from autosim.client.panda.table_renderer import TableRenderer
from autosim.tracks.curvilinear_table import CurvilinearTable
from tests.tracks.test_curvilinear_table import CURVES, WIDTH, apart

SIZE = 128


@pytest.fixture(scope="module")
def renderer() -> Iterator[TableRenderer]:
    try:
        made = TableRenderer(open_renderer("p3headlessgl"), SIZE)
    except RendererError as error:
        pytest.skip(str(error))
    yield made
    made.close()


@pytest.mark.parametrize("name", CURVES)
def test_both_draw_the_same_within_a_texel(renderer: TableRenderer, name: str) -> None:
    points, is_closed = CURVES[name]
    settings = {"is_closed": is_closed, "width": WIDTH, "size": SIZE}
    ours = CurvilinearTable.of(points, **settings)
    theirs = CurvilinearTable.of(points, **settings, draw=renderer.draw)
    texel = 1.0 / ours.square.per_metre
    a, b = ours.values, theirs.values
    both = (a[..., 4] > 0.0) & (b[..., 4] > 0.0)
    assert np.count_nonzero(a[..., 4] != b[..., 4]) < 0.005 * np.count_nonzero(both)
    assert np.abs(np.abs(a[..., 1]) - np.abs(b[..., 1]))[both].max() < texel
    # Where two parts are as near as each other, rounding chooses.
    steady = both & (apart(a[..., 0], b[..., 0], ours.square.length) < texel)
    assert np.count_nonzero(steady) > 0.99 * np.count_nonzero(both)
    assert np.abs(a[..., 1:4] - b[..., 1:4])[steady].max() < max(texel, 0.05)


def test_a_table_of_another_size_is_refused(renderer: TableRenderer) -> None:
    with pytest.raises(ValueError, match="tables of 128 texels, not 64"):
        CurvilinearTable.of([[0.0, 0.0], [9.0, 0.0]], size=64, draw=renderer.draw)
