"""Model folders: `LOD0/model.*`, `LOD1/model.*` and so on, each read once, shared by all.

Small OBJ files are read by our own reader. Every other format goes through Panda3D's importers,
some of which crash on a broken file: a separate process converts it once (`convert`) to plain
arrays, and the result is kept in the user's cache by the digest of the file's folder.

"""

import hashlib
import os
import subprocess
import sys
import tempfile
from itertools import count
from pathlib import Path

from autosim.client.models.model_files import Model, ModelError, checked, load_saved
from autosim.client.models.obj_models import model_of_obj
from autosim.config.files.lookup import PathError, Roots, find_file
from autosim.isolated_reader import exit_reason

FORMATS = (".obj", ".bam", ".egg", ".glb", ".gltf", ".3ds")
"""File types that are read, the preferred ones first."""
CONVERSION_SECONDS = 60.0
"""Longest time [s] for which a separate process may read a model: large ones take seconds."""

_DIRECT_BYTES = 2 << 20
"""A larger OBJ file [bytes] is also read in a separate process: it takes seconds."""


class ModelLibrary:
    """All models of a scene.

    Args:
        roots: the folders below which model folders are looked up.

    `warnings` says which models could not be shown, and why, once each.
    """

    def __init__(self, roots: Roots) -> None:
        self.warnings: list[str] = []
        self._roots = roots
        self._loaded: dict[str, tuple[Model, ...]] = {}

    def levels(self, path: str) -> tuple[Model, ...]:
        """The model of the folder `path` in all levels of detail, the finest first.

        None, with a warning, where the finest cannot be read; a coarser one that cannot be read
        is left out, with a warning.
        """
        if path not in self._loaded:
            self._loaded[path] = self._load(path)
        return self._loaded[path]

    def _load(self, path: str) -> tuple[Model, ...]:
        models: list[Model] = []
        try:
            for file in find_levels(path, self._roots):
                models.append(load_model(file))
        except (ModelError, PathError) as error:
            what = f"level {len(models)} of model '{path}'" if models else f"model '{path}'"
            self.warnings.append(f"{what} is not shown: {error}")
        return tuple(models)


def find_levels(path: str, roots: Roots) -> tuple[Path, ...]:
    """The files of all levels of detail in the model folder `path`, the finest first.

    Raises:
        PathError: there is no such folder below the roots.
        ModelError: the folder of a level holds no model of a type that can be read.
    """
    first = find_file(f"{path}/LOD0", roots)
    files: list[Path] = []
    for level in count():
        folder = first.with_name(f"LOD{level}")
        if not folder.is_dir():
            return tuple(files)
        files.append(_model_in(folder))
    raise AssertionError("count() ends")


def _model_in(folder: Path) -> Path:
    for suffix in FORMATS:
        file = folder / f"model{suffix}"
        if file.is_file():
            return file
    raise ModelError(f"{folder} holds no model file ({', '.join('model' + s for s in FORMATS)})")


def load_model(file: Path) -> Model:
    """A model in B's axes.

    Raises:
        ModelError: it cannot be read.
    """
    if file.suffix == ".obj" and file.stat().st_size <= _DIRECT_BYTES:
        try:
            return checked(model_of_obj(file))
        except ModelError as error:
            text = str(error)
            raise ModelError(text if str(file) in text else f"{file}: {text}") from error
    return converted(file, cache_folder())


def cache_folder() -> Path:
    """Folder of converted models (XDG Base Directory Specification)."""
    base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(base) / "autosim" / "models"


def converted(file: Path, folder: Path, *, seconds: float = CONVERSION_SECONDS) -> Model:
    """The model out of `folder`, converted by a separate process unless it is there.

    Raises:
        ModelError: the process rejected the file, crashed on it, or exceeded `seconds`.
    """
    try:
        target = folder / f"{_digest(file)}.npz"
        try:
            return load_saved(target)
        except ModelError:
            _convert(file, target, seconds)
        return load_saved(target)
    except OSError as error:
        raise ModelError(f"{file}: {error.strerror}: {error.filename}") from error


def _convert(file: Path, target: Path, seconds: float) -> None:
    """Writes `target` as a whole or not at all."""
    target.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(suffix=".part", dir=target.parent)
    os.close(handle)
    try:
        _run_reader(file, Path(temporary), seconds)
        os.replace(temporary, target)
    finally:
        Path(temporary).unlink(missing_ok=True)


def _run_reader(file: Path, target: Path, seconds: float) -> None:
    module = "autosim.client.models.convert"
    command = [sys.executable, "-P", "-m", module, str(file), str(target)]
    try:
        done = subprocess.run(
            command,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            errors="replace",
            timeout=seconds,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        advice = "simplify it, or save it as .obj or .glb"
        raise ModelError(f"{file}: not read within {seconds:g} s: {advice}") from error
    if done.returncode < 0:
        raise ModelError(f"{file}: {exit_reason(done.returncode)}")
    if done.returncode:
        last = (done.stdout.strip() or "no reason given").splitlines()[-1]
        raise ModelError(f"{file}: {last}")


def _digest(file: Path) -> str:
    """SHA-256 over the reader, the model and the files beside it, which it may refer to."""
    digest = hashlib.sha256(_reader_source())
    for each in sorted(file.parent.iterdir()):
        if each.is_file():
            digest.update(f"{each.name}\0{each.stat().st_size}\0".encode())
            digest.update(each.read_bytes())
    digest.update(file.name.encode())
    return digest.hexdigest()


def _reader_source() -> bytes:
    """Source of the conversion; it is part of the key, so that a new version converts again."""
    own = Path(__file__).parent
    return b"".join((own / name).read_bytes() for name in ("convert.py", "model_files.py"))
