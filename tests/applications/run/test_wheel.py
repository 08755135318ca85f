"""The wheel alone, in an empty environment outside the checkout."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ENVIRONMENT
from tests.worlds import ROOT


def uv(*arguments: str) -> None:
    command = ["sh", str(ROOT / "scripts" / "uv.sh"), *arguments]
    # With the user's own cache: what is there need not be fetched.
    subprocess.run(command, check=True, cwd=ROOT, env=ENVIRONMENT)


@pytest.fixture(scope="module")
def installed(tmp_path_factory) -> Path:
    """The command `autosim` of an environment that holds the wheel and what it requires."""
    folder = tmp_path_factory.mktemp("wheel")
    uv("build", "--quiet", "--wheel", "--out-dir", str(folder / "dist"))
    uv("venv", "--quiet", "--python", sys.executable, str(folder / "venv"))
    (wheel,) = (folder / "dist").glob("*.whl")
    python = str(folder / "venv" / "bin" / "python")
    constraints = folder / "constraints.txt"
    lines = (ROOT / "requirements.lock").read_text().splitlines()
    pins = [line.rstrip(" \\") for line in lines if line[:1].isalnum()]
    constraints.write_text("\n".join(pins))
    uv(
        "pip",
        "install",
        "--quiet",
        "--python",
        python,
        "--constraint",
        str(constraints),
        str(wheel),
    )
    _lend_kernels(folder / "venv")
    return folder / "venv" / "bin" / "autosim"


def _lend_kernels(environment: Path) -> None:
    """Puts machine code that the checkout has beside the same sources, which takes a minute."""
    (package,) = environment.glob("lib/python*/site-packages/autosim")
    for kept in (ROOT / "autosim").rglob("*.nb[ci]"):
        target = package / kept.relative_to(ROOT / "autosim")
        target.parent.mkdir(exist_ok=True)
        shutil.copyfile(kept, target)


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_the_demo_runs_from_the_wheel_without_a_renderer(installed, tmp_path):
    environment = {
        "PATH": os.defpath,
        "HOME": str(tmp_path),
        "XDG_CACHE_HOME": str(tmp_path / "cache"),
    }
    result = subprocess.run(
        [installed, "demo", "--headless", "--seconds", "3", "--out", "out"],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert result.returncode == 0, result.stderr
    summary = json.loads((tmp_path / "out" / "summary.json").read_text())
    assert summary["steps"] == 720
    assert summary["renderer"] == "none"
    assert "autosim[client]" in result.stderr
    assert (tmp_path / "out" / "path.png").exists()
    packages = {each.name for each in installed.parents[1].glob("lib/*/site-packages/*")}
    assert not packages & {"panda3d", "PyQt6"}
    shutil.rmtree(installed.parents[1])
