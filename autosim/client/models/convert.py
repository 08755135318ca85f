"""Reads a model with Panda3D's importers and writes it as arrays: run as a program by `models`.

Some importers end the process on a broken file, so this one has nothing else to lose. The axes of
each format end here: what is written has B's axes, so that a model shows the same in each format.
"""

import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np

from autosim.arrays import Bytes, Floats, Integers, Integers32
from autosim.client.geometry.draw_mesh import DrawMesh, joined
from autosim.client.materials.surface_meshes import face_normals, normalised
from autosim.client.materials.texture_images import MOST_PIXELS, TextureImage
from autosim.client.models.model_files import Model, ModelError, ModelPart, checked, save_model
from autosim.client.models.obj_models import model_of_obj
from autosim.client.panda.geometry import vertex_rows
from autosim.client.panda.panda_imports import core
from autosim.client.panda.renderer import load_settings

MAXIMUM_BYTES = 256 << 20
"""[bytes] of a model's file: a larger one takes more memory to convert than a client has to
spare."""

_FORWARD_Y = core.LMatrix4(0, -1, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1)
"""Turns a model which looks along +y and stands along +z, as Panda3D's do, to B's axes. Rows are
where x, y and z go."""
_FORWARD_Z = core.LMatrix4(0, 1, 0, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0, 0, 0, 1)
"""Turns glTF's axes (x left, y up, z forward), which Panda3D's importer leaves as they are."""
_GLTF = (".glb", ".gltf")
_GREY = 178
"""Colour (0..255 for each channel) of faces for which a model names none."""


def read_model(source: Path) -> Model:
    """The model of a file, in B's axes [m].

    Raises:
        ModelError: unreadable, nothing to see in it, or too much.
    """
    if source.stat().st_size == 0:
        raise ModelError("the file is empty")
    if source.stat().st_size > MAXIMUM_BYTES:
        raise ModelError(f"the file is larger than {MAXIMUM_BYTES >> 20} MB")
    if source.suffix == ".obj":
        return checked(model_of_obj(source))
    model = _read(source)
    if source.suffix == ".3ds":
        _stand_up(model)
    frame = core.NodePath("model")
    model.reparentTo(frame)
    frame.setMat(_FORWARD_Z if source.suffix in _GLTF else _FORWARD_Y)
    return checked(Model(tuple(_parts(frame))))


def _read(source: Path) -> core.NodePath:
    options = core.LoaderOptions(core.LoaderOptions.LFSearch | core.LoaderOptions.LFNoCache)
    name = core.Filename.fromOsSpecific(str(source.resolve()))
    node = core.Loader.getGlobalPtr().loadSync(name, options)
    if node is None:
        raise ModelError("Panda3D cannot read the file")
    return core.NodePath(node)


def _stand_up(model: core.NodePath) -> None:
    """Undoes the importer's turn of .3ds, whose models have z up already."""
    for child in model.getChildren():
        child.setHpr(0, 0, 0)


def _parts(frame: core.NodePath) -> Iterator[ModelPart]:
    """One part for each texture, and one for all that has none."""
    meshes: dict[core.Texture | None, list[DrawMesh]] = {}
    for geom, transform, state in _geoms(frame):
        mesh = _mesh(geom, transform, state)
        if mesh is not None:
            meshes.setdefault(_texture(state), []).append(mesh)
    for texture, same in meshes.items():
        yield ModelPart(joined(same), _picture(texture))


def _geoms(frame: core.NodePath) -> Iterator[tuple[core.Geom, core.LMatrix4, core.RenderState]]:
    """Each geom with its transform to B and its state."""
    for path in frame.findAllMatches("**/+GeomNode"):
        node, net = path.node(), path.getNetState()
        assert isinstance(node, core.GeomNode)
        transform = path.getNetTransform().getMat()
        for index in range(node.getNumGeoms()):
            yield node.getGeom(index), transform, net.compose(node.getGeomState(index))


def _mesh(geom: core.Geom, transform: core.LMatrix4, state: core.RenderState) -> DrawMesh | None:
    """The triangles of a geom; None where it has none, such as lines."""
    if geom.getPrimitiveType() != core.Geom.PTPolygons:
        return None
    geom = geom.decompose()
    triangles = _triangles(geom)
    data = geom.getVertexData()
    rows = vertex_rows(data)
    if not len(triangles) or triangles.max() >= len(rows):
        raise ModelError("a triangle has a corner that is not there: the file is cut off")
    turn = np.array([[transform(i, j) for j in range(3)] for i in range(4)])
    points = rows["vertex"] @ turn[:3] + turn[3]
    normals = rows["normal"] @ np.linalg.pinv(turn[:3]).T
    colours = _flat_colour(state, len(rows))
    if data.hasColumn("color"):
        colours = _tinted(rows["colour"], state)
    mesh = DrawMesh(
        points.astype(np.float32),
        normalised(normals).astype(np.float32),
        np.ascontiguousarray(colours),
        np.ascontiguousarray(rows["uv"]),
        triangles,
    )
    return mesh if data.hasColumn("normal") else _faceted(mesh)


def _triangles(geom: core.Geom) -> Integers32:
    found = [np.zeros((0, 3), dtype=np.int32)]
    for index in range(geom.getNumPrimitives()):
        primitive = geom.getPrimitive(index)
        numbers = [primitive.getVertex(k) for k in range(primitive.getNumVertices())]
        found.append(np.array(numbers, dtype=np.int32).reshape(-1, 3))
    return np.concatenate(found)


def _faceted(mesh: DrawMesh) -> DrawMesh:
    """The mesh with the normal of each face at its own three corners."""
    corners = mesh.triangles.ravel()
    normals = normalised(face_normals(mesh.vertices.astype(np.float64), mesh.triangles))
    return DrawMesh(
        mesh.vertices[corners],
        np.repeat(normals, 3, axis=0).astype(np.float32),
        mesh.colours[corners],
        mesh.uvs[corners],
        np.arange(len(corners), dtype=np.int32).reshape(-1, 3),
    )


def _flat_colour(state: core.RenderState, count: int) -> Bytes:
    """The colour of a material, else of the state, at every vertex; matt."""
    colour = np.array([_GREY, _GREY, _GREY, 255])
    material = _material(state)
    flat = state.getAttrib(core.ColorAttrib)
    if material is not None:
        colour = _bytes(_material_colour(material, colour / 255.0))
    elif flat is not None and flat.getColorType() == core.ColorAttrib.TFlat:
        colour = _bytes(flat.getColor())
    elif _texture(state) is not None:
        colour = np.full(4, 255)
    colour[3] = 255
    return np.tile(colour.astype(np.uint8), (count, 1))


def _tinted(colours: Bytes, state: core.RenderState) -> Bytes:
    """Colours of vertices times the base colour of a glTF material; matt."""
    material = _material(state)
    tint = np.full(4, 255)
    if material is not None and material.hasBaseColor():
        tint = _bytes(material.getBaseColor())
    tinted = colours * (tint / 255.0)
    tinted[:, 3] = 255.0
    return np.round(tinted).astype(np.uint8)


def _material(state: core.RenderState) -> core.Material | None:
    attribute = state.getAttrib(core.MaterialAttrib)
    return attribute.getMaterial() if attribute is not None else None


def _material_colour(material: core.Material, otherwise: Floats) -> Iterable[float]:
    if material.hasBaseColor():
        return material.getBaseColor()
    return material.getDiffuse() if material.hasDiffuse() else otherwise


def _bytes(colour: Iterable[float]) -> Integers:
    values = np.clip(np.array(list(colour), dtype=np.float64), 0.0, 1.0)
    return np.asarray(np.round(values * 255), dtype=np.int64)


def _texture(state: core.RenderState) -> core.Texture | None:
    attribute = state.getAttrib(core.TextureAttrib)
    return attribute.getTexture() if attribute is not None else None


def _picture(texture: core.Texture | None) -> TextureImage | None:
    """The pixels of a texture, which may be inside the model's file."""
    if texture is None or not texture.hasRamImage() or texture.getTextureType() != _FLAT:
        return None
    image = core.PNMImage()
    if not texture.store(image):
        return None
    if max(image.getXSize(), image.getYSize()) > MOST_PIXELS:
        raise ModelError(f"its texture '{texture.getName()}' is larger than {MOST_PIXELS} pixels")
    rgba = core.Texture("rgba")
    rgba.load(image)
    rows = memoryview(rgba.getRamImageAs("RGBA")).cast("B")
    pixels = np.frombuffer(rows, dtype=np.uint8).reshape(rgba.getYSize(), rgba.getXSize(), 4).copy()
    pixels[..., 3] = 255
    return TextureImage(texture.getName() or "picture", pixels)


_FLAT = core.Texture.TT2dTexture


if __name__ == "__main__":
    load_settings()
    try:
        save_model(read_model(Path(sys.argv[1])), Path(sys.argv[2]))
    except (ModelError, OSError) as error:
        print(error)
        sys.exit(1)
