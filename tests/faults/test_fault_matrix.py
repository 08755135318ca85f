"""Each fault strikes once; `make faults` tries all of them in all moments for hours."""

from pathlib import Path

import pytest

from tests.faults.matrix import Cell, sample

SEED = 1


@pytest.mark.slow
@pytest.mark.parametrize("cell", sample(SEED), ids=str)
def test_promises_are_kept_under_faults(cell: Cell, tmp_path: Path) -> None:
    assert cell.run(tmp_path) == []
