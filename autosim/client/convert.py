"""Reads a model with Panda3D's importers and writes it as .bam: run as a program by `models`.

Some importers end the process on a broken file, so this one has nothing else to lose. The axes of
each format end here: what is written has B's axes, so that a model shows the same in each format.
"""

import sys
from pathlib import Path
from typing import Any

from autosim.client.obj import ModelError
from autosim.client.panda import core
from autosim.client.renderer import load_settings

MAXIMUM_BYTES = 256 << 20
FORWARD_Y = -90.0
"""Heading [deg] that turns a model which looks along +y, as Panda3D's do, to B's x."""
_HEADINGS = {".glb": 90.0, ".gltf": 90.0}
"""glTF looks along its +z, which Panda3D's importer turns to -y."""


def convert(source: Path, target: Path) -> None:
    """Reads `source`, turns it to B's axes, writes `target`.

    Raises:
        ModelError: unreadable, or nothing to see in it.
    """
    if source.stat().st_size == 0:
        raise ModelError("the file is empty")
    if source.stat().st_size > MAXIMUM_BYTES:
        raise ModelError(f"the file is larger than {MAXIMUM_BYTES >> 20} MB")
    model = _read(source)
    if model.findAllMatches("**/+GeomNode").isEmpty():
        raise ModelError("the file holds no geometry that Panda3D can read")
    if source.suffix == ".3ds":
        _stand_up(model)
    frame = core.NodePath("model")
    model.reparentTo(frame)
    model.setH(_HEADINGS.get(source.suffix, FORWARD_Y))
    for geometry in frame.findAllMatches("**/+GeomNode"):
        _colour_by_material(geometry)
    frame.flattenLight()
    if not frame.writeBamFile(core.Filename.fromOsSpecific(str(target))):
        raise ModelError("the converted model cannot be written")


def _read(source: Path) -> Any:
    options = core.LoaderOptions(core.LoaderOptions.LFSearch | core.LoaderOptions.LFNoCache)
    name = core.Filename.fromOsSpecific(str(source.resolve()))
    node = core.Loader.getGlobalPtr().loadSync(name, options)
    if node is None:
        raise ModelError("Panda3D cannot read the file")
    return core.NodePath(node)


def _stand_up(model: Any) -> None:
    """Undoes the importer's turn of .3ds, whose models have z up already."""
    for child in model.getChildren():
        child.setHpr(0, 0, 0)


def _colour_by_material(geometry: Any) -> None:
    """Writes each material's colour as the colour of its geom, where our light looks for it."""
    node = geometry.node()
    for index in range(node.getNumGeoms()):
        state = node.getGeomState(index)
        attribute = state.getAttrib(core.MaterialAttrib)
        material = attribute.getMaterial() if attribute else None
        if material is not None and material.hasDiffuse():
            red, green, blue, _ = material.getDiffuse()
            colour = core.ColorAttrib.makeFlat(core.LColor(red, green, blue, 1.0))
            state = state.removeAttrib(core.MaterialAttrib).setAttrib(colour)
            node.setGeomState(index, state)


if __name__ == "__main__":
    load_settings()
    try:
        convert(Path(sys.argv[1]), Path(sys.argv[2]))
    except (ModelError, OSError) as error:
        print(error)
        sys.exit(1)
