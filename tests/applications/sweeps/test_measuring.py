"""Measures: which value each is of, and what is taken of it."""

import numpy as np
import pytest

from autosim.applications.sweeps.measuring import TAKES
from autosim.config.studies import Measure
from autosim.errors import UserError
from autosim.kinds.director import build_tree
from autosim.loading.studies.measure_columns import column_of
from tests.worlds import impreza_world

SPEED = "impreza.chassis.velocimeter.velocity"


def test_a_measure_is_of_one_value():
    column = column_of(Measure("top", SPEED, "max"), build_tree(impreza_world()))
    assert (column.name, column.unit) == (SPEED, "m/s")


@pytest.mark.parametrize(
    ("of", "said"),
    [
        ("nobody", "there is no value 'nobody'"),
        ("impreza.chassis.velocimetre.velocity", f"did you mean '{SPEED}'?"),
        ("impreza.chassis.position", "has 3 values: name one of impreza.chassis.position[0]"),
    ],
)
def test_a_name_that_stands_for_no_single_value_is_refused(of: str, said: str):
    with pytest.raises(UserError) as error:
        column_of(Measure("m", of), build_tree(impreza_world()))
    assert said in str(error.value)
    assert "measure 'm'" in str(error.value)


def test_what_is_taken():
    values = np.array([3.0, -4.0, 0.0])
    found = {name: take(values) for name, take in TAKES.items()}
    assert found == pytest.approx(
        {"min": -4.0, "max": 3.0, "mean": -1.0 / 3.0, "last": 0.0, "rms": (25.0 / 3.0) ** 0.5}
    )
