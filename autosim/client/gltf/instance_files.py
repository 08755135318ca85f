"""Trees, lamps, benches and parked cars as glTF: a mesh for each kind, and its places."""

from collections.abc import Iterator

import numpy as np

from autosim.arrays import Floats, Floats32, Integers
from autosim.client.gltf.document import Document, linear, turned
from autosim.client.gltf.model_files import add_model
from autosim.client.models.model_files import ModelPart
from autosim.client.tiles.prop_shapes import prop_shape
from autosim.client.tiles.props import paints_of
from autosim.world.compiled.compiled import PropKind, Props

_LAMP_ARM, _LAMP_HEIGHT = 0.21, 0.965
"""Place of a lamp's glass ahead of its post and above its foot, as shares of its height."""


def instance_file(props: Props, *, attribution: str = "") -> bytes:
    """All props: a node for each kind, named as it, which shows a shape of 1 m at each place."""
    document = Document(copyright=attribution)
    add_instances(document, props)
    return document.content()


def add_instances(document: Document, props: Props) -> None:
    """Adds a node for each kind of props that are there."""
    for kind, mesh, rows in _meshes(document, props):
        translations, rotations, scales = _places(props, rows)
        instances = {"TRANSLATION": translations, "ROTATION": rotations, "SCALE": scales}
        if kind in _PAINTED:
            paints = paints_of(props.positions[rows]) / 255.0
            instances["_COLOR_0"] = linear(paints).astype(np.float32)
        document.instanced(kind.name.lower(), mesh, instances)


def add_props(document: Document, props: Props) -> None:
    """Adds a node for each prop, for programs that know no instances; parked cars are silver."""
    for kind, mesh, rows in _meshes(document, props):
        parent = document.node(kind.name.lower(), {})
        places = zip(*(each.tolist() for each in _places(props, rows)), strict=True)
        for number, (translation, rotation, scale) in enumerate(places):
            place = {"translation": translation, "rotation": rotation, "scale": scale}
            name = f"{kind.name.lower()} {number}"
            document.node(name, {"mesh": mesh} | place, parent=parent)


def _meshes(document: Document, props: Props) -> Iterator[tuple[PropKind, int, Integers]]:
    """The mesh of each kind, 1 m high, and the rows of its props."""
    for kind in PropKind:
        rows = np.flatnonzero(props.kinds == kind)
        shape = prop_shape(kind, is_near=True)
        if len(rows) and shape is not None:
            name = kind.name.lower()
            mesh = add_model(document, [ModelPart(shape)], name, has_dyes=kind in _PAINTED)
            if mesh is not None:
                yield kind, mesh, rows


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
