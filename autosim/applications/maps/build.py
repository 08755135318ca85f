"""Compiles a world and says what is in it, how sound it is, and what was left out."""

import time
from pathlib import Path

import numpy as np

from autosim.applications.common.files import write_picture
from autosim.applications.common.open_worlds import compile_with_progress, open_named_world
from autosim.world.compiled.compiled_world import CompiledWorld
from autosim.world.export.plan_image import draw_world_plan
from autosim.world.geometry.extent import Window
from autosim.world.geometry.meshes import Surface


def build_world(file: Path, out: Path | None, *, window: Window | None = None) -> str:
    """Compiles the map of `file` (an extract or a world file); returns the report.

    Args:
        file: what to compile.
        out: folder for `plan.png`, made where it is missing.
        window: the part of the map to build.

    Raises:
        ConfigError: the files cannot make a world.
    """
    begin = time.perf_counter()
    compiled = compile_with_progress(open_named_world(file), window=window)
    report = describe(compiled, seconds=time.perf_counter() - begin)
    if out is not None:
        write_picture(out / "plan.png", draw_world_plan(compiled))
        report += f"\nplan      {out / 'plan.png'}"
    return report


def describe(world: CompiledWorld, *, seconds: float) -> str:
    """A few lines on a compiled world; `seconds` is how long it took."""
    x_min, y_min, x_max, y_max = world.bounds
    lengths = world.roads.lengths()
    counts = np.bincount(world.ground.surfaces, minlength=len(Surface))
    ground = ", ".join(
        f"{surface.name.lower()} {counts[surface]}" for surface in Surface if counts[surface]
    )
    lines = [
        f"world     {world.name}, {x_max - x_min:.0f} m × {y_max - y_min:.0f} m about "
        f"{world.origin[0]:.5f} {world.origin[1]:.5f}, {world.driving_side}-hand traffic",
        f"compiled  in {seconds:.2f} s, digest {world.digest[:16]}",
        f"triangles {len(world.ground.triangles)} of ground ({ground}), "
        f"{len(world.structures.triangles)} of bridges and tunnels, "
        f"{len(world.buildings.triangles) + len(world.house_boxes.triangles)} of buildings",
        f"lanes     {len(lengths)}, {lengths.sum() / 1000:.1f} km",
        "sound     " + ", ".join(f"{name} {value:g}" for name, value in world.invariants),
    ]
    if world.used:
        used = ", ".join(f"{count} {name}" for name, count in world.used)
        lines.append(f"used      {used}; {sum(n for _, n in world.ignored)} objects ignored")
    if world.left_out:
        lines.append("left out  " + ", ".join(f"{name} {n}" for name, n in world.left_out))
    return "\n".join([*lines, f"data      {world.attribution}"])
