"""Writes the tables of models and parameters of the page on kinematic vehicles.

python -m autosim.loading.vehicle_reference

renews what stands between the two marks in docs/kinematic_vehicles.md.
"""

from pathlib import Path

from autosim.kinds.kinematic.model_catalogue import MODELS
from autosim.kinds.kinematic.model_parameters import BODY, COMMON, PARAMETERS, ModelParameter
from autosim.loading.reference import row_of

PAGE = Path(__file__).resolve().parents[2] / "docs" / "kinematic_vehicles.md"

BEGIN, END = "<!-- tables: begin -->\n", "<!-- tables: end -->\n"

_HEADS = ("| parameter | meaning | default | unit | of |", "|---|---|---|---|---|")


def tables() -> str:
    """The tables, as Markdown."""
    lines = ["| model | moves | commanded by | parameters |", "|---|---|---|---|"]
    for model in MODELS.values():
        names = ", ".join(f"`{each.name}`" for each in model.parameters)
        lines.append(row_of(f"`{model.name}`", model.meaning, model.drive, names))
    lines += ["", *_HEADS, *(_row(each, _models_of(each)) for each in PARAMETERS)]
    lines += ["", "In robot files also:", "", *_HEADS]
    lines += [_row(each, "all") for each in (*COMMON, *BODY)]
    return "\n".join(lines) + "\n"


def renewed(page: str) -> str:
    """A page with the tables between its marks."""
    before, _, rest = page.partition(BEGIN)
    _, _, after = rest.partition(END)
    return before + BEGIN + tables() + END + after


def _row(parameter: ModelParameter, models: str) -> str:
    default = parameter.default
    shown = str(default).lower() if isinstance(default, bool) else str(default)
    if parameter.name == "axle_offset":
        shown = "half the wheelbase behind"
    return row_of(f"`{parameter.name}`", parameter.meaning, shown, parameter.unit, models)


def _models_of(parameter: ModelParameter) -> str:
    own = [m.name for m in MODELS.values() if parameter.name in {p.name for p in m.parameters}]
    return "all but ST" if len(own) == len(MODELS) - 1 else ", ".join(own)


if __name__ == "__main__":
    PAGE.write_text(renewed(PAGE.read_text()))
