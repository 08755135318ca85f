"""The user program `fmu_controller.py`: its arguments, without a simulation."""

import importlib.util
import shutil
from pathlib import Path
from types import ModuleType

import pytest

pytest.importorskip("fmpy")
if shutil.which("cc") is None:
    pytest.skip("there is no C compiler", allow_module_level=True)

from autosim.fmi import FmuError
from tests.fmi.fmus import built
from tests.paths import ROOT

SENT: dict[str, list[float]] = {}
VALUES = {"car.chassis.drive": [0.0, 0.5, 0.0], "car.chassis.speed": 3.0}


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built(tmp_path_factory.mktemp("fmu"))


@pytest.fixture
def controller(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    path = ROOT / "userprograms" / "fmu_controller.py"
    spec = importlib.util.spec_from_file_location("fmu_controller", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    monkeypatch.setattr(module, "get_data", VALUES.__getitem__)
    monkeypatch.setattr(module, "get_time", lambda: 0.0)
    monkeypatch.setattr(module, "set_data", SENT.__setitem__)
    monkeypatch.setattr(module, "on_snapshot", lambda save: None)
    monkeypatch.setattr(module, "on_restore", lambda restore: None)
    SENT.clear()
    return module


def test_numbers_of_devices_are_connected_and_constants_sent(
    file: Path, controller: ModuleType
) -> None:
    program = controller.Program()
    arguments = "u=chassis.speed.0", "chassis.drive.0=x", "chassis.drive.2:=1", "period:=0.1"
    program.start("car", str(file), *arguments)
    program.step(0.1)
    program.stop()
    assert SENT["car.chassis.drive"] == pytest.approx([0.3, 0.5, 1.0])


def test_a_constant_is_sent_though_no_output_is_connected(
    file: Path, controller: ModuleType
) -> None:
    program = controller.Program()
    program.start("car", str(file), "chassis.drive.2:=1")
    program.step(0.1)
    program.stop()
    assert SENT["car.chassis.drive"] == [0.0, 0.5, 1.0]


@pytest.mark.parametrize(
    ("argument", "message"),
    [
        ("speed", "'speed' is not a connection"),
        ("k:=fast", "k:=fast: 'fast' is not a number"),
        ("period:=0", "period:=0: expected a time above 0 s"),
        ("y=chassis.speed", "neither is a variable"),
        ("chassis.drive.3=x", r"car\.chassis\.drive has the numbers 0 to 2"),
        ("chassis.drive=x", r"car\.chassis\.drive has 3 numbers: give one"),
        ("chassis.drive.9:=1", r"car\.chassis\.drive has the numbers 0 to 2"),
    ],
)
def test_faulty_arguments_are_refused(
    file: Path, controller: ModuleType, argument: str, message: str
) -> None:
    program = controller.Program()
    with pytest.raises(FmuError, match=message):
        program.start("car", str(file), argument)
    program.stop()
