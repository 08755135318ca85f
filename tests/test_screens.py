"""The X servers of the tests fail with a word where they would hang."""

from pathlib import Path

import pytest

from tests import screens

NAMED = "import os, sys; os.write(int(sys.argv[2]), b'7\\n')\n"
HANGS = "import threading; threading.Event().wait()\n"
STAYS = "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"


def fake(folder: Path, patch: pytest.MonkeyPatch, program: str) -> None:
    """Puts another Xvfb in place of the real one."""
    (folder / "Xvfb").write_text(f"#!/usr/bin/env python3\n{program}")
    (folder / "Xvfb").chmod(0o755)
    patch.setenv("PATH", str(folder), prepend=":")


@pytest.mark.parametrize(
    ("program", "reason"),
    [
        (HANGS, "has not named its display within 0.2 s"),
        ("", "has ended before it named its display"),
    ],
)
def test_a_server_that_does_not_start_is_a_failure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, program: str, reason: str
) -> None:
    monkeypatch.setattr(screens, "START_SECONDS", 0.2 if program else 60.0)
    fake(tmp_path, monkeypatch, program)
    with pytest.raises(pytest.fail.Exception, match=reason), screens.screen():
        raise AssertionError("it was said to be there")


def test_a_server_that_does_not_end_is_killed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(screens, "END_SECONDS", 0.2)
    fake(tmp_path, monkeypatch, STAYS + NAMED + HANGS)
    with pytest.raises(pytest.fail.Exception, match="was killed"), screens.screen() as display:
        assert display == ":7"
