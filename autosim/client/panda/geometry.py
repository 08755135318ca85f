"""Panda3D geometry from NumPy arrays, without a Python call per vertex."""

import numpy as np
import numpy.typing as npt

from autosim.client.geometry.draw_mesh import DrawMesh
from autosim.client.panda.panda_imports import core

_VERTEX = np.dtype(
    [("vertex", "<f4", 3), ("normal", "<f4", 3), ("colour", "u1", 4), ("uv", "<f4", 2)]
)

LABEL_COLUMN = "label"
"""Name of the vertices' class and instance in the programs that draw labels."""

_MOST_SHORT = 0xFFFF
"""Vertices that have numbers of two bytes: the greatest such number, of none, may mean a cut."""


def make_geom(mesh: DrawMesh, *, is_static: bool = True) -> core.Geom:
    """A `Geom` with that mesh; one that is not static may be changed by `write_vertices`."""
    usage = core.Geom.UHStatic if is_static else core.Geom.UHDynamic
    data = core.GeomVertexData("mesh", _vertex_format(), usage)
    data.uncleanSetNumRows(len(mesh.vertices))
    _fill(data.modifyArray(0), rows_of(mesh))
    _fill(data.modifyArray(1), mesh.all_labels)
    # Where the processor draws, it goes through all of them for each picture.
    is_small = len(mesh.vertices) <= _MOST_SHORT
    index = np.uint16 if is_small else np.uint32
    primitive = core.GeomTriangles(core.Geom.UHStatic)
    primitive.setIndexType(core.Geom.NTUint16 if is_small else core.Geom.NTUint32)
    indices = primitive.modifyVertices()
    indices.uncleanSetNumRows(mesh.triangles.size)
    _fill(indices, np.ascontiguousarray(mesh.triangles, dtype=index))
    geom = core.Geom(data)
    geom.addPrimitive(primitive)
    return geom


def write_vertices(geom: core.Geom, mesh: DrawMesh) -> None:
    """Gives a `Geom` new vertices, as many as it has; its triangles stay."""
    _fill(geom.modifyVertexData().modifyArray(0), rows_of(mesh))


def changing_geom() -> core.Geom:
    """A `Geom` of which each picture may have other vertices and triangles, see `write_mesh`."""
    geom = core.Geom(core.GeomVertexData("mesh", _vertex_format(), core.Geom.UHStream))
    primitive = core.GeomTriangles(core.Geom.UHStream)
    primitive.setIndexType(core.Geom.NTUint32)
    geom.addPrimitive(primitive)
    return geom


def write_mesh(
    geom: core.Geom,
    rows: npt.NDArray[np.generic],
    labels: npt.NDArray[np.float32],
    corners: npt.NDArray[np.uint32],
) -> None:
    """Gives a `changing_geom` another mesh.

    Args:
        geom: takes it.
        rows: (n,) of the size of a `DrawMesh`'s vertices: place, normal, colour, place in a
            texture.
        labels: (n, 2) as those of a `DrawMesh`.
        corners: (t,) of triangles.
    """
    data = geom.modifyVertexData()
    data.uncleanSetNumRows(len(rows))
    primitive = geom.modifyPrimitive(0)
    indices = primitive.modifyVertices()
    indices.uncleanSetNumRows(len(corners))
    if len(rows):
        for array, values in ((data.modifyArray(0), rows), (data.modifyArray(1), labels)):
            _copy(array, values)
        _copy(indices, corners)


def _copy(array: core.GeomVertexArrayData, values: npt.NDArray[np.generic]) -> None:
    """Copies an array without gaps once, where `_fill` makes bytes of it first."""
    memoryview(array).cast("B")[:] = values.data.cast("B")


def _vertex_format() -> core.GeomVertexFormat:
    layout = core.GeomVertexArrayFormat()
    names = core.InternalName
    layout.addColumn(names.getVertex(), 3, core.Geom.NTFloat32, core.Geom.CPoint)
    layout.addColumn(names.getNormal(), 3, core.Geom.NTFloat32, core.Geom.CNormal)
    layout.addColumn(names.getColor(), 4, core.Geom.NTUint8, core.Geom.CColor)
    layout.addColumn(names.getTexcoord(), 2, core.Geom.NTFloat32, core.Geom.CTexcoord)
    # Labels lie apart: who draws colours does not read them.
    labels = core.GeomVertexArrayFormat()
    name = core.InternalName.make(LABEL_COLUMN)
    labels.addColumn(name, 2, core.Geom.NTFloat32, core.Geom.COther)
    whole = core.GeomVertexFormat(layout)
    whole.addArray(labels)
    return core.GeomVertexFormat.registerFormat(whole)


def rows_of(mesh: DrawMesh) -> npt.NDArray[np.void]:
    """The vertices of a mesh as `write_mesh` takes them."""
    rows = np.empty(len(mesh.vertices), dtype=_VERTEX)
    rows["vertex"] = mesh.vertices
    rows["normal"] = mesh.normals
    rows["colour"] = mesh.colours
    rows["uv"] = mesh.uvs
    return rows


def _fill(array: core.GeomVertexArrayData, values: npt.NDArray[np.generic]) -> None:
    memoryview(array).cast("B")[:] = values.tobytes()


def vertex_rows(data: core.GeomVertexData) -> npt.NDArray[np.void]:
    """The vertices of a `GeomVertexData` as rows of our own; what it lacks is zero."""
    converted = data.convertTo(_vertex_format())
    return np.frombuffer(memoryview(converted.getArray(0)).cast("B"), dtype=_VERTEX)
