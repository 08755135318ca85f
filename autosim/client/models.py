"""Model folders as nodes: `LOD0/model.*`, read once each, shared by all that show it.

OBJ files are read by our own reader. Every other format goes through Panda3D's importers, some of
which end the process on a broken file: a process of its own converts it once (`convert`), and
what it wrote is kept in the user's cache by the digest of the file's folder.
"""

import hashlib
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from autosim.client.nodes import load_texture, make_node
from autosim.client.obj import ModelError, read_obj
from autosim.client.panda import core
from autosim.config.lookup import PathError, Roots, find_file

FORMATS = (".obj", ".bam", ".egg", ".glb", ".gltf", ".3ds")
"""File types that are read, the preferred ones first."""
_CONVERSION_SECONDS = 60.0


class ModelLibrary:
    """All models of a scene.

    Args:
        roots: the folders below which model folders are looked up.

    `warnings` says which models could not be shown, and why, once each.
    """

    def __init__(self, roots: Roots) -> None:
        self.warnings: list[str] = []
        self._roots = roots
        self._loaded: dict[str, Any] = {}

    def node(self, path: str) -> Any | None:
        """A new node with the model of the folder `path`; None, with a warning, when it fails."""
        if path not in self._loaded:
            self._loaded[path] = self._load(path)
        model = self._loaded[path]
        return None if model is None else model.copyTo(core.NodePath())

    def _load(self, path: str) -> Any | None:
        try:
            return load_model(find_model(path, self._roots))
        except (ModelError, PathError) as error:
            self.warnings.append(f"model '{path}' is not shown: {error}")
            return None


def find_model(path: str, roots: Roots) -> Path:
    """The file of the finest level of detail in the model folder `path`.

    Raises:
        PathError: there is no such folder below the roots.
        ModelError: it holds no model of a type that can be read.
    """
    folder = find_file(f"{path}/LOD0", roots)
    for suffix in FORMATS:
        file = folder / f"model{suffix}"
        if file.is_file():
            return file
    raise ModelError(f"{folder} holds no model file ({', '.join('model' + s for s in FORMATS)})")


def load_model(file: Path) -> Any:
    """A node with the model in B's axes.

    Raises:
        ModelError: it cannot be read.
    """
    if file.suffix == ".obj":
        return _obj_node(file)
    return _bam_node(converted(file, cache_folder()))


def cache_folder() -> Path:
    """Where converted models are kept (XDG Base Directory Specification)."""
    base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(base) / "autosim" / "models"


def converted(file: Path, folder: Path) -> Path:
    """The model as a .bam file in `folder`, made by a process of its own unless it is there.

    Raises:
        ModelError: the process refused the file, died of it or did not come to an end.
    """
    target = folder / f"{_digest(file)}.bam"
    if target.is_file():
        return target
    folder.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(suffix=".bam", dir=folder)
    os.close(handle)
    try:
        _convert(file, Path(temporary))
        os.replace(temporary, target)
    finally:
        Path(temporary).unlink(missing_ok=True)
    return target


def _convert(file: Path, target: Path) -> None:
    command = [sys.executable, "-m", "autosim.client.convert", str(file), str(target)]
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=_CONVERSION_SECONDS, check=False
        )
    except subprocess.TimeoutExpired as error:
        raise ModelError(f"{file}: not read within {_CONVERSION_SECONDS:.0f} s") from error
    if done.returncode < 0:
        raise ModelError(f"{file}: its reader ended with signal {-done.returncode}")
    if done.returncode:
        last = (done.stdout.strip() or "no reason given").splitlines()[-1]
        raise ModelError(f"{file}: {last}")


def _digest(file: Path) -> str:
    """SHA-256 over the model and the files beside it, which it may refer to."""
    digest = hashlib.sha256()
    for each in sorted(file.parent.iterdir()):
        if each.is_file():
            digest.update(f"{each.name}\0{each.stat().st_size}\0".encode())
            digest.update(each.read_bytes())
    digest.update(file.name.encode())
    return digest.hexdigest()


def _obj_node(file: Path) -> Any:
    node = core.NodePath("model")
    for mesh, texture in read_obj(file):
        part = make_node("mesh", [mesh])
        part.reparentTo(node)
        if texture is not None and texture.is_file():
            part.setTexture(load_texture(texture))
    return node


def _bam_node(file: Path) -> Any:
    node = core.Loader.getGlobalPtr().loadSync(
        core.Filename.fromOsSpecific(str(file)), core.LoaderOptions(core.LoaderOptions.LFNoCache)
    )
    if node is None:
        raise ModelError(f"{file}: Panda3D cannot read what it wrote")
    return core.NodePath(node)
