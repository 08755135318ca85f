"""Values beside which their units of everyday life are written."""

import numpy as np
import pytest

pytest.importorskip("PyQt6")

from autosim.applications.gui.shared.formats import other_units
from autosim.kinds.director import build_tree
from autosim.loading.loader import load_world


@pytest.fixture(scope="module")
def fields():
    """The fields of the first part of the demo's car, by their names."""
    chassis = build_tree(load_world("worlds/circle_town.xml")).find("impreza.chassis")
    return {field.name: field for field in chassis.fields}


@pytest.mark.parametrize(
    ("name", "value", "text"),
    [
        ("velocity", [3.0, 4.0, 0.0], "18.0 km/h"),
        ("angular_velocity", [0.0, 0.0, np.pi / 2], "0.0  0.0  90.0 °/s"),
        ("orientation", [0.0, 0.0, 0.5**0.5, 0.5**0.5], "yaw 90.0°  pitch 0.0°  roll 0.0°"),
        (
            "orientation",
            [0.0, np.sin(-0.05), 0.0, np.cos(0.05)],
            "yaw 0.0°  pitch -5.7°  roll 0.0°",
        ),
        ("orientation", [0.0, 0.0, 0.0, 0.0], ""),
        ("position", [1.0, 2.0, 3.0], ""),
    ],
)
def test_arrays_have_their_everyday_units(fields, name, value, text):
    assert other_units(np.array(value), fields[name]) == text
