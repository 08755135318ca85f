"""Trees, lamps, benches and parked cars as glTF: a mesh for each kind, and its places."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from autosim.arrays import Bytes, Floats, Floats32, Integers
from autosim.client.geometry.draw_mesh import DrawMesh
from autosim.client.gltf.document import Document, linear, turned
from autosim.client.gltf.gltf_models import add_model
from autosim.client.models.model_files import ModelPart
from autosim.client.tiles.prop_shapes import PAINT, prop_shape
from autosim.client.tiles.props import paints_of
from autosim.world.compiled.compiled_world import PropKind, Props

_LAMP_ARM, _LAMP_HEIGHT = 0.21, 0.965
"""Place of a lamp's glass ahead of its post and above its foot, as shares of its height."""


_PAINT_MATNESS = 180
"""Matness (0..255, without unit) of the paint of parked cars: more than that of glass."""


def instance_file(props: Props, *, attribution: str = "") -> bytes:
    """All props: a node for each kind, named as it, which shows a shape of 1 m at each place."""
    document = Document(copyright=attribution)
    add_instances(document, props)
    return document.content()


def add_instances(document: Document, props: Props) -> None:
    """Adds a node for each kind of props that are there."""
    for kind, shape, rows in _kinds(props):
        name = kind.name.lower()
        mesh = add_model(document, [ModelPart(shape)], name, has_dyes=kind in _PAINTED)
        if mesh is None:
            continue
        translations, rotations, scales = _places(props, rows)
        instances = {"TRANSLATION": translations, "ROTATION": rotations, "SCALE": scales}
        if kind in _PAINTED:
            paints = paints_of(props.positions[rows]) / 255.0
            instances["_COLOR_0"] = linear(paints).astype(np.float32)
        document.instanced(name, mesh, instances)


def add_props(document: Document, props: Props) -> None:
    """Adds a node for each prop, for programs that know no instances."""
    for kind, shape, rows in _kinds(props):
        name = kind.name.lower()
        parent = document.node(name, {})
        for paint, painted in _by_paint(kind, props, rows):
            mesh = add_model(document, [ModelPart(_painted(shape, paint))], name)
            if mesh is None:
                continue
            places = zip(*(each.tolist() for each in _places(props, painted)), strict=True)
            for row, (translation, rotation, scale) in zip(painted.tolist(), places, strict=True):
                place = {"translation": translation, "rotation": rotation, "scale": scale}
                document.node(f"{name} {row}", {"mesh": mesh} | place, parent=parent)


def _kinds(props: Props) -> Iterator[tuple[PropKind, DrawMesh, Integers]]:
    """The shape of each kind, 1 m high, and the rows of its props."""
    for kind in PropKind:
        rows = np.flatnonzero(props.kinds == kind)
        shape = prop_shape(kind, is_near=True)
        if len(rows) and shape is not None:
            yield kind, shape, rows


def _by_paint(
    kind: PropKind, props: Props, rows: Integers
) -> Iterator[tuple[Bytes | None, Integers]]:
    """The rows with each paint; all together for kinds without."""
    if kind not in _PAINTED:
        yield None, rows
        return
    paints = paints_of(props.positions[rows])
    for paint in np.unique(paints, axis=0):
        yield paint, rows[(paints == paint).all(axis=1)]


def _painted(shape: DrawMesh, paint: Bytes | None) -> DrawMesh:
    """The shape with this paint (3,)."""
    if paint is None:
        return shape
    colours = shape.colours.copy()
    colours[(colours == PAINT).all(axis=1), :3] = paint
    # As matt as the bodies of cars that drive: what is less is glass.
    colours[(shape.colours == PAINT).all(axis=1), 3] = _PAINT_MATNESS
    return replace(shape, colours=colours)


def _places(props: Props, rows: Integers) -> tuple[Floats32, Floats32, Floats32]:
    """Translations (n, 3), rotations (n, 4) and scales (n, 3) in glTF's axes."""
    return (
        turned(props.positions[rows]).astype(np.float32),
        _about_up(props.yaws[rows]),
        np.repeat(props.heights[rows, None], 3, axis=1).astype(np.float32),
    )


_PAINTED = (PropKind.PARKED_CAR, PropKind.PARKED_VAN)
"""Kinds whose paint differs from one to the next."""


def lamp_places(props: Props) -> Floats:
    """Places (n, 3) [m] in W of the glass of street lamps."""
    rows = props.kinds == PropKind.LAMP
    places: Floats = props.positions[rows].copy()
    yaws, heights = props.yaws[rows], props.heights[rows]
    places[:, 0] += _LAMP_ARM * heights * np.cos(yaws)
    places[:, 1] += _LAMP_ARM * heights * np.sin(yaws)
    places[:, 2] += _LAMP_HEIGHT * heights
    return places


def _about_up(yaws: Floats) -> Floats32:
    """Quaternions (n, 4) of glTF for rotations [rad] about W's z axis, which is y there."""
    halves = np.asarray(yaws) / 2.0
    zeros = np.zeros(len(halves))
    return np.column_stack([zeros, np.sin(halves), zeros, np.cos(halves)]).astype(np.float32)
