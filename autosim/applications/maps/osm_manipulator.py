"""Runs the OSM Manipulator at the terminal: progress, a preview, the file, a report."""

from collections import Counter
from pathlib import Path

from autosim.applications.common.files import require_suffix, write_picture
from autosim.applications.common.screen import find_obstacle
from autosim.applications.common.terminal import progress_bar, tell
from autosim.tools.osm_manipulator.furnish_options import FurnishRequest
from autosim.tools.osm_manipulator.house_rows import STATION_SPACING
from autosim.tools.osm_manipulator.manipulator import (
    Furnished,
    check_target,
    furnish,
    write_furnished,
)
from autosim.tools.osm_manipulator.manipulator_errors import ManipulatorError
from autosim.tools.osm_manipulator.preview import draw_preview


def furnish_map(request: FurnishRequest, *, target: Path | None, preview: Path | None) -> str:
    """Furnishes a map; returns the report.

    Args:
        request: what to furnish and how.
        target: the map to write, None to write none.
        preview: the picture to write, None for none. It is there before the map is written.

    Raises:
        ConfigError: a file cannot be used.
        ManipulatorError: there is nothing to write, or it cannot be written.
        UserError: the preview's name does not end in .png, or it cannot be written.
    """
    if target is None and preview is None:
        raise ManipulatorError("name a target file, or a picture for a preview alone")
    if preview is not None:
        require_suffix(preview, (".png",))
    if target is not None:
        check_target(request, target)
    with progress_bar() as bar:
        task = bar.add_task("", total=1.0)

        def show(step: str, share: float) -> None:
            bar.update(task, completed=share, description=step)

        furnished = furnish(request, show)
        if preview is not None:
            write_picture(preview, draw_preview(furnished))
        if target is not None:
            write_furnished(furnished, target, show)
    for warning in furnished.warnings:
        tell(str(warning))
    return describe(furnished, target=target, preview=preview)


def describe(furnished: Furnished, *, target: Path | None, preview: Path | None) -> str:
    """Report of added objects, of places without any, and of written files."""
    counts = Counter((each.house.landuse, each.house.name) for each in furnished.houses)
    lines = [f"set       {len(furnished.houses)}"]
    lines += [f"  {use:<14}{name} {n}" for (use, name), n in sorted(counts.items())]
    if furnished.unused:
        shown = ", ".join(f"{name} {n * STATION_SPACING:.0f} m" for name, n in furnished.unused)
        lines.append(f"no section in the house list for land use along streets: {shown}")
    if not furnished.houses:
        lines.append("no place was found for any house: try smaller distances")
    lines += [f"preview   {preview}"] if preview is not None else []
    lines += [f"written   {target}"] if target is not None else []
    return "\n".join([*lines, f"data      {furnished.survey.attribution}"])


def open_window(request: FurnishRequest, target: Path | None) -> None:
    """Opens the OSM Manipulator's window with its fields filled in; returns when it is closed.

    Raises:
        ManipulatorError: PyQt6 is not installed, or there is no screen.
    """
    obstacle = find_obstacle()
    if obstacle:
        raise ManipulatorError(f"{obstacle}; leave out --gui to work in the terminal")
    # Qt is loaded only where a window is wanted.
    from autosim.tools.gui.open_window import run_osm_manipulator

    run_osm_manipulator(request, target)
