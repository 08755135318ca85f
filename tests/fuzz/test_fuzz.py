"""Every reader takes damaged input well; `make fuzz` tries more, guided by coverage."""

from itertools import islice
from pathlib import Path

import pytest

from autosim.errors import UserError
from tests.fuzz.fuzz_targets import TARGETS, FuzzTarget
from tests.fuzz.trials import mutations_of, shrunk, try_input

CORPUS = Path(__file__).parent / "corpus"
"""Inputs that once broke a promise, by the names of their targets."""

_SECONDS_OF_BUILDERS = 60.0
_COUNTS = {False: 50, True: 2}
"""Numbers of changed inputs, by whether a target builds whole worlds."""


def is_builder(target: FuzzTarget) -> bool:
    return target.seconds >= _SECONDS_OF_BUILDERS


@pytest.mark.parametrize("target", TARGETS.values(), ids=TARGETS)
def test_valid_inputs_are_read(target: FuzzTarget, tmp_path: Path) -> None:
    assert target.seeds()
    for data in target.seeds()[: 1 if is_builder(target) else None]:
        path = tmp_path / f"input{target.suffix}"
        path.write_bytes(data)
        target.read(path)


@pytest.mark.filterwarnings("ignore::UserWarning:PIL")
@pytest.mark.parametrize("target", TARGETS.values(), ids=TARGETS)
def test_damaged_inputs_end_with_an_error_of_their_own(target: FuzzTarget, tmp_path: Path) -> None:
    for data in islice(mutations_of(target, seed=1), _COUNTS[is_builder(target)]):
        found = try_input(target, data, tmp_path)
        assert found is None, found.text


@pytest.mark.parametrize("file", sorted(CORPUS.glob("*/*")), ids=lambda file: file.name)
def test_a_former_finding_is_taken_well(file: Path, tmp_path: Path) -> None:
    found = try_input(TARGETS[file.parent.name], file.read_bytes(), tmp_path)
    assert found is None, found.text


@pytest.mark.parametrize("error", [KeyError("level"), UserError("")])
def test_a_defect_is_found_and_its_input_made_small(error: Exception, tmp_path: Path) -> None:
    def read(path: Path) -> None:
        if b"<b>" in path.read_bytes():
            raise error

    target = FuzzTarget("planted", read, lambda: [b"<a><b>c</b><d/></a>"], ".xml", ())
    found = next(
        found for data in mutations_of(target, 0) if (found := try_input(target, data, tmp_path))
    )
    assert found.place.startswith(type(error).__name__)
    assert shrunk(found, target).data == b"<b>"


def test_an_input_that_takes_too_long_is_a_finding(tmp_path: Path) -> None:
    def read(path: Path) -> None:
        while True:
            pass

    found = try_input(FuzzTarget("slow", read, list, ".x", (), seconds=0.1), b"", tmp_path)
    assert found is not None
    assert "TooSlowError" in found.place
