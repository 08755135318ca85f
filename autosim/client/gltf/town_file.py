"""A whole town as one glTF file for Blender, game engines and other programs.

It needs no extension: positions and normals are float32, and props are nodes that share a mesh. It
has a node for each tile and each prop, one for the land beyond the map, and one for the posts of
signals; AutoSim's textures are in the file.
"""

import numpy as np

from autosim.client.gltf.document import Document
from autosim.client.gltf.gltf_models import add_model
from autosim.client.gltf.instance_files import add_props
from autosim.client.gltf.material_values import material_values
from autosim.client.gltf.tile_files import BEYOND, Named, TileFiles
from autosim.client.models.model_files import ModelPart
from autosim.client.models.model_library import ModelLibrary
from autosim.client.tiles.beyond.land_beyond import land_beyond
from autosim.client.traffic.signal_shapes import post_mesh
from autosim.config.files.lookup import Roots
from autosim.traffic.signals.signal_heads import make_signal_heads
from autosim.traffic.signals.signal_plan import make_plan
from autosim.traffic.traffic_node import MOST_SIGNALS
from autosim.world.compiled.compiled_world import CompiledWorld

_LIFTS = {"paint": 0.012, "paint_yellow": 0.012, "ballast": 0.006, "rail": 0.006}
"""Height [m] by which what lies on streets is lifted: other programs have no depth offset for it,
and would show it and the street in turns."""


def town_file(compiled: CompiledWorld, roots: Roots) -> bytes:
    """The whole town as a binary glTF file.

    Args:
        compiled: the place, in tiles.
        roots: the folders below which models of houses are looked up.
    """
    latitude, longitude = compiled.origin
    document = Document(
        copyright=compiled.attribution,
        extras={"name": compiled.name, "latitude_longitude": [latitude, longitude]},
        is_quantized=False,
    )
    tiles = TileFiles(compiled, ModelLibrary(roots))
    for tile in range(tiles.count):
        _add_tile(document, tiles, tiles.near(tile), f"tile {tile}")
    beyond = land_beyond(compiled)
    _add_tile(document, tiles, {each.name.lower(): mesh for each, mesh in beyond.items()}, BEYOND)
    add_props(document, compiled.props)
    _add_signals(document, compiled)
    return document.content()


def _add_signals(document: Document, compiled: CompiledWorld) -> None:
    """Adds the posts of all signals, dark, as one node."""
    heads = make_signal_heads(make_plan(compiled, most=MOST_SIGNALS), compiled)
    rows = np.arange(len(heads.groups))
    if len(rows):
        posts = ModelPart(post_mesh(heads, rows, has_lenses=True))
        mesh = add_model(document, [posts], "signal posts")
        if mesh is not None:
            document.node("signal posts", {"mesh": mesh})


def _add_tile(document: Document, tiles: TileFiles, named: Named, name: str) -> None:
    primitives = []
    for material, mesh in named.items():
        values = material_values(material)
        picture = tiles.pictures.get(material)
        uvs = None
        if picture is not None:
            texture = {"index": document.texture(picture)}
            values["pbrMetallicRoughness"]["baseColorTexture"] = texture
            # Of a picture glTF's first row is the upper one. Whole repetitions are taken away, lest
            # far from the origin float32 has too few digits.
            uvs = mesh.uvs - np.floor(mesh.uvs.min(axis=0, keepdims=True))
            uvs = (uvs * (1.0, -1.0) + (0.0, 1.0)).astype(np.float32)
        number = document.material(material, values)
        lifted = mesh.raised(_LIFTS[material]) if material in _LIFTS else mesh
        primitive = document.primitive(lifted, number, uvs=uvs)
        if primitive is not None:
            primitives.append(primitive)
    if primitives:
        document.node(name, {"mesh": document.mesh(name, primitives)})
