"""Whether a run of a sweep may be simulated: its folder names code, and may come from elsewhere."""

from pathlib import Path

from autosim.applications.sweeps.folder import RunFolder, SweepFolder
from autosim.applications.sweeps.order import RunOrder
from autosim.config.files.data_files import is_data_file
from autosim.config.files.lookup import PathError, require_inside, search_roots
from autosim.errors import UserError

_OWN_FOLDERS = ("worlds", "scenarios", "studies")
"""Folders of a project in which the files of a study may lie."""

_HINT = "if the sweep is yours, or you trust who made it, use --trust"


def require_own_runs(folder: SweepFolder, ids: list[str]) -> None:
    """Makes sure that runs of a sweep run no code but that in the user's own folders.

    Raises:
        UserError: one of them could.
    """
    for each in ids:
        require_own_run(folder.run(each))


def require_own_run(run: RunFolder) -> None:
    """Makes sure that a run runs no code but that in the user's own folders.

    Programs, plug-ins and the study's own program lie in the folders that the order names. Each of
    these has to be a search root or its folder of worlds, scenarios or studies: any other folder
    below the working directory may have been downloaded, and the run's own holds only data.

    Raises:
        UserError: the run could run other code, or its folder cannot be read.
    """
    order = run.order()
    _require_no_links(run)
    _require_data(run)
    try:
        require_inside(order.world)
    except PathError as error:
        raise UserError(f"{run.path}: its world: {error}") from error
    for each in _code_folders(order):
        _require_own_folder(run, Path(each))


def _code_folders(order: RunOrder) -> list[str]:
    """The folders in which a run looks for code."""
    measured_by = [str(Path(order.measured_by).parent)] if order.measured_by else []
    return [*order.roots, *measured_by]


def _require_own_folder(run: RunFolder, folder: Path) -> None:
    sweep = run.path.resolve().parents[1]
    place, roots = folder.resolve(), search_roots()
    is_own = place in roots or (place.parent in roots and place.name in _OWN_FOLDERS)
    if folder.is_absolute() and is_own and not place.is_relative_to(sweep):
        return
    raise UserError(
        f"{run.path}: the run uses files and programs of '{folder}', which is not one of your "
        "folders (the working directory, $AUTOSIM_PATH, AutoSim's own, and their worlds, scenarios "
        f"and studies): go to the folder of the project; or, {_HINT}"
    )


def _require_no_links(run: RunFolder) -> None:
    """Makes sure that the run and what it writes lie in the sweep, not where a link leads."""
    for place in (run.path.parent, run.path, *run.path.iterdir()):
        if place.is_symlink():
            raise UserError(f"{place}: is a link, and leads out of the run's folder; {_HINT}")


def _require_data(run: RunFolder) -> None:
    """Makes sure that the files of the run itself are plain data files."""
    for file in run.files.rglob("*"):
        is_plain = file.is_dir() or (file.is_file() and is_data_file(file.name))
        if file.is_symlink() or not is_plain:
            raise UserError(f"{file}: a run's own files are data, and this is not; {_HINT}")
