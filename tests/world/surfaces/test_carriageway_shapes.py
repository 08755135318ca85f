"""The shapes of carriageways."""

import numpy as np
import shapely

from autosim.world.lanes.lane_drafts import LaneDraft, LanePlan
from autosim.world.levels.lane_spans import lane_spans
from autosim.world.levels.level_division import GROUND, divide_into_levels
from autosim.world.profiles.profile import Profile
from autosim.world.surfaces.carriageway_shapes import StreetMap, carriageway_shape
from tests.world.one_street import street


def test_a_turn_across_a_border_has_a_floor_all_the_way():
    streets = [street(0, 1, [(0, 0), (60, 0)]), street(1, 2, [(60, 0), (60, 60)], layer=1)]
    s = np.array([0.0, 60.0])
    levels = divide_into_levels(streets, [Profile(s, 0.0 * s, 0.0 * s)] * 2)
    t = np.linspace(0.0, 1.0, 20)[:, None]
    line = np.hstack([20.0 + 20.0 * t, 12.0 * t])
    plan = LanePlan([LaneDraft(0, 0, line, 3.0, streets[0].profile, True)])
    border = shapely.box(0.0, 3.5, 50.0, 8.0)
    town = StreetMap(
        streets, plan, levels, lane_spans(plan, levels), {(0, GROUND): border}, np.zeros((0, 2))
    )
    shape = carriageway_shape(town, GROUND)
    assert shapely.covers(shape, shapely.LineString(line))
    aside = shapely.difference(
        shapely.intersection(shape, border), shapely.LineString(line).buffer(1.3)
    )
    assert aside.area < 0.01, "beside the turn the border holds"
