"""The page on kinematic vehicles."""

from autosim.kinds.kinematic.model_catalogue import MODELS
from autosim.kinds.kinematic.model_parameters import PARAMETERS
from autosim.loading.vehicle_reference import PAGE, renewed, tables


def test_the_tables_of_models_and_parameters_are_up_to_date() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert page == renewed(page), "renew it: python -m autosim.loading.vehicle_reference"


def test_each_model_and_parameter_is_told_of() -> None:
    told = tables()
    for name in (*MODELS, *(each.name for each in PARAMETERS)):
        assert f"`{name}`" in told
