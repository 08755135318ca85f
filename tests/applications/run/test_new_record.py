"""What the command line makes of the names of records."""

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


@pytest.mark.parametrize("step", ["-1", "abc", "2.5", ""])
@pytest.mark.parametrize("command", [("branch",), ("server", "--continue-from")])
def test_what_is_no_step_of_a_record_is_told(
    tmp_path: Path, command: tuple[str, ...], step: str
) -> None:
    record = tmp_path / "run.mcap"
    record.write_text("any")
    result = CliRunner().invoke(main, [*command, f"{record}@{step}"])
    assert result.exit_code == 2
    text = " ".join(result.output.replace("│", " ").split())
    assert f"not '{step}'" in text
    assert "a step number after the @" in text
