"""Models from OBJ files."""

from pathlib import Path

from autosim.client.materials.texture_images import (
    TextureImage,
    TextureImageError,
    read_texture_image,
)
from autosim.client.models.model_files import Model, ModelError, ModelPart
from autosim.client.models.obj import read_obj


def model_of_obj(file: Path) -> Model:
    """The model of an OBJ file with its textures.

    Raises:
        ModelError: it cannot be read.
    """
    return Model(tuple(ModelPart(mesh, _picture(texture)) for mesh, texture in read_obj(file)))


def _picture(file: Path | None) -> TextureImage | None:
    if file is None or not file.is_file():
        return None
    try:
        return read_texture_image(file)
    except TextureImageError as error:
        raise ModelError(str(error)) from error
