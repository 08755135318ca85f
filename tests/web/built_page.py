"""The page for browsers, built from its sources."""

import subprocess

import pytest

from tests.paths import ROOT

BUILD = ("sh", str(ROOT / "scripts" / "build_page.sh"))
"""The command that builds it."""


def built_page() -> None:
    """Builds the page, or skips the test where that is not possible."""
    done = subprocess.run(BUILD, cwd=ROOT, capture_output=True, text=True)
    if done.returncode and "no Node" in done.stderr:
        pytest.skip("no Node 20.19 or newer is installed")
    if done.returncode and not (ROOT / "web" / "node_modules" / ".package-lock.json").exists():
        pytest.skip("the packages of the page cannot be fetched")
    assert done.returncode == 0, done.stdout + done.stderr
