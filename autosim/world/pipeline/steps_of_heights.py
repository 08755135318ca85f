"""The steps of the pipeline that lead from a world in plan to the heights of its streets."""

from functools import partial

from autosim.config.descriptions import MapSetup
from autosim.world.geometry.height_function import HeightFunction, flat
from autosim.world.levels.elevation import find_heights as heights_of
from autosim.world.osm.osm_sniff import UnusableFileError
from autosim.world.pipeline.draft import Draft
from autosim.world.pipeline.steps_of_levels import begin_streets


def take_layout(draft: Draft) -> None:
    """The world in plan, and the faults that were found in the map."""
    layout = draft.lay_out()
    draft.diagnostics.extend(layout.diagnostics.all)
    draft.diagnostics.raise_if_errors()
    draft.layout, draft.streets, draft.plan = layout, layout.streets, layout.plan
    draft.left_out.update(layout.left_out)


def find_heights(draft: Draft) -> None:
    """Profiles, levels and heights of all streets, which are begun to be laid beside."""
    terrain = _terrain(draft)
    if terrain is not None:
        draft.heights = heights_of(
            draft.layout.data,
            draft.layout.points,
            draft.streets,
            terrain=terrain,
            plan=draft.plan,
            divided=partial(begin_streets, draft),
        )


def _terrain(draft: Draft) -> HeightFunction | None:
    """The bare ground; None, with a diagnostic, where its data are of no use."""
    source = draft.inputs.height_map
    if source is None:
        return flat
    # Only here: what reads pictures takes long to import.
    from autosim.world.terrain.terrain import load_terrain

    setup = draft.inputs.setup or MapSetup(name="")
    try:
        return load_terrain(
            source, setup=setup, projection=draft.layout.projection, box=draft.layout.box
        )
    except UnusableFileError as fault:
        draft.diagnostics.error(fault.finding.file, fault.finding.line, fault.finding.message)
        return None
