"""Co-simulation FMUs, compiled here from C: steps, variables, saved states."""

import shutil
from pathlib import Path

import pytest

pytest.importorskip("fmpy")
if shutil.which("cc") is None:
    pytest.skip("there is no C compiler", allow_module_level=True)

from autosim.fmi import Fmu, FmuError
from tests.fmi.fmus import built


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built(tmp_path_factory.mktemp("fmu"))


def test_an_fmu_computes_its_outputs_from_its_inputs(file: Path) -> None:
    with Fmu(file, {"k": 2.0}) as fmu:
        assert fmu.variables == {"x": "output", "u": "input", "k": "parameter"}
        fmu.set("u", 3.0)
        for _ in range(10):
            fmu.step(0.1)
        assert fmu.get("x") == pytest.approx(6.0)
        assert fmu.time == pytest.approx(1.0)


def test_a_saved_state_is_restored(file: Path) -> None:
    with Fmu(file) as fmu:
        fmu.set("u", 1.0)
        fmu.step(0.5)
        saved = fmu.save()
        fmu.step(0.5)
        fmu.restore(saved)
        assert (fmu.time, fmu.get("x")) == (0.5, pytest.approx(0.5))


def test_an_fmu_that_cannot_save_says_so(tmp_path: Path) -> None:
    with Fmu(built(tmp_path, saves=False)) as fmu:
        assert not fmu.can_save
        with pytest.raises(FmuError, match=r"integrator\.fmu: this FMU cannot save its state"):
            fmu.save()


def test_errors_name_file_and_variable(file: Path, tmp_path: Path) -> None:
    (tmp_path / "no.fmu").write_text("no")
    with pytest.raises(FmuError, match=r"no\.fmu: is not an FMU"):
        Fmu(tmp_path / "no.fmu")
    with pytest.raises(FmuError, match=r"none\.fmu: cannot be read: No such file"):
        Fmu(tmp_path / "none.fmu")
    with Fmu(file) as fmu:
        with pytest.raises(FmuError, match="no variable 'y' with a number; it has k, u, x"):
            fmu.get("y")
        fmu.set("k", -1.0)
        with pytest.raises(FmuError, match="failed at 0 s"):
            fmu.step(0.1)
