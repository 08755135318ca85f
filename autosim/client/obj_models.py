"""Models from OBJ files."""

from pathlib import Path

from autosim.client.model_files import Model, ModelError, ModelPart
from autosim.client.obj import read_obj
from autosim.client.pictures import Picture, PictureError, read_picture


def model_of_obj(file: Path) -> Model:
    """The model of an OBJ file with its textures.

    Raises:
        ModelError: it cannot be read.
    """
    return Model(tuple(ModelPart(mesh, _picture(texture)) for mesh, texture in read_obj(file)))


def _picture(file: Path | None) -> Picture | None:
    if file is None or not file.is_file():
        return None
    try:
        return read_picture(file)
    except PictureError as error:
        raise ModelError(str(error)) from error
