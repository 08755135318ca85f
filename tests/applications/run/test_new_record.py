"""A record of before is not lost to one that is named alike."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from autosim.cli import main


@pytest.mark.parametrize("command", ["server", "demo"])
def test_a_record_of_before_is_not_written_over(tmp_path: Path, command: str) -> None:
    record = tmp_path / "run.mcap"
    record.write_text("a day's work")
    result = CliRunner().invoke(main, [command, "--record", str(record)])
    assert result.exit_code == 2
    assert "choose another name" in result.output
    assert record.read_text() == "a day's work"
