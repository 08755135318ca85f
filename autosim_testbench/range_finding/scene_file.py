"""Reads the file of a scene: the shapes around a range finder."""

from pathlib import Path

from autosim.config.diagnostics import ConfigError, Diagnostics
from autosim.config.reading.blocks import Block
from autosim.config.reading.sources import Source, open_source, read_block
from autosim.config.schemas.test_bench import SCENE
from autosim_testbench.range_finding.plane_shapes import Bounds, Ellipse, Line, Quadratic, Shape

_KINDS = {"Line": (Line, "abc"), "Quadratic": (Quadratic, "stuv"), "Ellipse": (Ellipse, "abhk")}

_BOUNDS = ("x_min", "x_max", "y_min", "y_max")


def load_scene(path: Path) -> tuple[Shape, ...]:
    """The shapes of a scene.

    Raises:
        ConfigError: the file has faults; all are named with their lines.
    """
    found = Diagnostics()
    source = open_source(path, found)
    shapes = read_scene(source) if source else None
    if shapes is None:
        raise ConfigError(found.all)
    return shapes


def read_scene(source: Source) -> tuple[Shape, ...] | None:
    """The scene in `source`; None, with diagnostics, if it has errors."""
    block = read_block(source, SCENE)
    if block is None or source.faults.has_errors:
        return None
    return tuple(_shape(each) for each in block.children)


def _shape(block: Block) -> Shape:
    kind, names = _KINDS[block.tag]
    stated = {each: float(value) for each in _BOUNDS if (value := block.get(each)) is not None}
    shape: Shape = kind(*(block.own_real(each) for each in names), Bounds(**stated))
    return shape
