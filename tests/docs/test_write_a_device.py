"""The tutorial on devices of one's own: its commands are run in an empty folder."""

import re
import subprocess
import sys
from pathlib import Path

from tests.paths import ROOT


def test_the_commands_of_the_tutorial_run(tmp_path):
    page = (ROOT / "docs" / "write_a_device.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```sh\n(.*?)```", page, re.DOTALL)
    programs = {name: str(Path(sys.executable).parent / name) for name in ("autosim", "python")}
    for line in (line for block in blocks for line in block.splitlines()):
        program, *arguments = line.split()
        ran = subprocess.run(
            [programs[program], *arguments], cwd=tmp_path, capture_output=True, text=True
        )
        assert ran.returncode == 0, (line, ran.stdout, ran.stderr)
    written = {str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*.*") if path.is_file()}
    named = set(re.findall(r"\| `([^`]+)` \|", page))
    assert named <= written
