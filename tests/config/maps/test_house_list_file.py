from pathlib import Path

from autosim.config.descriptions import ModelReference
from autosim.config.diagnostics import Diagnostic
from autosim.loading.loader import load_house_list
from tests.config.samples import HOUSES, faults, write


def test_a_house_list_is_read(tmp_path: Path) -> None:
    small, large, tree = load_house_list(write(tmp_path, HOUSES)).houses
    assert (small.name, small.landuse, small.size) == ("small", "residential", (5.0, 6.0, 7.0))
    assert small.model == ModelReference("models/small", "obj")
    assert large.model == ModelReference("models/large", "")
    assert (tree.name, tree.landuse) == ("small", "forest")


def other_faults(tmp_path: Path, text: str) -> list[Diagnostic]:
    """Faults apart from the models, none of which exist here."""
    return [each for each in faults(tmp_path, text) if "plain shape" not in each.message]


def test_each_missing_model_is_named_once_with_its_line(tmp_path: Path) -> None:
    (tmp_path / "models/large/LOD0").mkdir(parents=True)
    (tmp_path / "models/large/LOD0/model.obj").touch()
    small, tree = faults(tmp_path, HOUSES)
    assert [(each.level, each.line) for each in (small, tree)] == [("warning", 3), ("warning", 7)]
    assert small.message == "found no 'models/small/LOD0/model.*': a plain shape is drawn"


def test_a_name_stands_once_in_a_land_use(tmp_path: Path) -> None:
    (found,) = other_faults(tmp_path, HOUSES.replace('"large"', '"small"', 1))
    assert (found.level, found.line) == ("error", 4)


def test_a_box_without_size_is_an_error(tmp_path: Path) -> None:
    (found,) = other_faults(tmp_path, HOUSES.replace('y="6"', 'y="0"'))
    assert "<BoxSize> y: expected a number" in found.message


def test_an_unknown_land_use_is_kept_with_a_warning(tmp_path: Path) -> None:
    path = write(tmp_path, HOUSES.replace("residential", "residental"))
    (found,) = other_faults(tmp_path, path.read_text())
    assert (found.level, found.line) == ("warning", 2)
    assert found.message.endswith("did you mean 'residential'?")
    assert load_house_list(path).houses[0].landuse == "residental"
