"""Models as arrays: what readers make of model files, and how the cache keeps it."""

from dataclasses import dataclass
from pathlib import Path
from zipfile import BadZipFile

import numpy as np

from autosim.client.geometry.draw_mesh import DrawMesh
from autosim.client.materials.texture_images import TextureImage

MOST_TRIANGLES = 300_000
"""Number of triangles of a model: more would slow every picture in which it is."""
_MESH_FIELDS = ("vertices", "normals", "colours", "uvs", "triangles")


class ModelError(Exception):
    """A model file cannot be shown; the message says where in the file, or what to do."""


@dataclass(frozen=True, slots=True)
class ModelPart:
    """The mesh, in B's axes [m], of what has one picture; None: it is plain."""

    mesh: DrawMesh
    picture: TextureImage | None = None


@dataclass(frozen=True, slots=True)
class Model:
    """One level of detail of a model."""

    parts: tuple[ModelPart, ...]
    """Parts, each with its own material."""

    @property
    def triangles(self) -> int:
        """Total number."""
        return sum(len(part.mesh.triangles) for part in self.parts)

    @property
    def size(self) -> float:
        """The longest side [m] of its bounds."""
        corners = np.concatenate([part.mesh.vertices for part in self.parts])
        return float(np.ptp(corners, axis=0).max())


def checked(model: Model) -> Model:
    """The model, if it can be drawn.

    Raises:
        ModelError: there is nothing in it, too much, or a number that is none.
    """
    if not model.triangles:
        raise ModelError("it holds no triangles")
    if model.triangles > MOST_TRIANGLES:
        raise ModelError(
            f"it has {model.triangles} triangles, of which {MOST_TRIANGLES} can be drawn: "
            "simplify it"
        )
    for part in model.parts:
        if not np.isfinite(part.mesh.vertices).all():
            raise ModelError("a vertex has a coordinate that is not a finite number")
    return model


def save_model(model: Model, file: Path) -> None:
    """Writes a model as named arrays."""
    arrays = {}
    for index, part in enumerate(model.parts):
        for name in _MESH_FIELDS:
            arrays[f"{index}.{name}"] = getattr(part.mesh, name)
        if part.picture is not None:
            arrays[f"{index}.picture"] = part.picture.pixels
    with file.open("wb") as stream:
        np.savez(stream, count=np.array(len(model.parts)), **arrays)


def load_saved(file: Path) -> Model:
    """The model that `save_model` wrote.

    Raises:
        ModelError: the file is damaged.
    """
    try:
        with np.load(file, allow_pickle=False) as arrays:
            return Model(tuple(_part(arrays, k) for k in range(int(arrays["count"]))))
    except (OSError, ValueError, KeyError, BadZipFile) as error:
        raise ModelError(f"{file} is damaged: {error}") from error


def _part(arrays: "np.lib.npyio.NpzFile", index: int) -> ModelPart:
    mesh = DrawMesh(**{name: arrays[f"{index}.{name}"] for name in _MESH_FIELDS})
    name = f"{index}.picture"
    return ModelPart(mesh, TextureImage(name, arrays[name]) if name in arrays else None)
