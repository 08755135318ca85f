"""The wheel alone, in an empty environment outside the checkout."""

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.conftest import ENVIRONMENT
from tests.worlds import ROOT

PACKAGES = {"autosim", "autosim_testbench", "autosim_assets"}


def uv(*arguments: str) -> None:
    command = ["sh", str(ROOT / "scripts" / "uv.sh"), *arguments]
    # With the user's own cache: what is there need not be fetched.
    subprocess.run(command, check=True, cwd=ROOT, env=ENVIRONMENT)


def build(checkout: Path, folder: Path) -> Path:
    """Builds the wheel and what belongs to it, as `make wheel` does, but at a fixed time."""
    script = checkout / "scripts" / "build_wheel.sh"
    environment = {**ENVIRONMENT, "SOURCE_DATE_EPOCH": "1700000000"}
    subprocess.run(["sh", str(script), str(folder)], check=True, env=environment)
    (built,) = folder.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> Path:
    """The built wheel."""
    return build(ROOT, tmp_path_factory.mktemp("dist"))


@dataclass(frozen=True)
class Installation:
    """An environment that holds the wheel and what it requires, and a home for its commands."""

    venv: Path
    home: Path

    def run(self, *words: str) -> subprocess.CompletedProcess[str]:
        """Runs a program of the environment to its end, in an empty home."""
        environment = {
            "PATH": os.defpath,
            "HOME": str(self.home),
            "XDG_CACHE_HOME": str(self.home / "cache"),
        }
        ran = subprocess.run(
            [self.venv / "bin" / words[0], *words[1:]],
            cwd=self.home,
            env=environment,
            capture_output=True,
            text=True,
            timeout=300,
        )
        assert ran.returncode == 0, ran.stderr
        return ran


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory) -> Iterator[Installation]:
    venv = tmp_path_factory.mktemp("wheel") / "venv"
    uv("venv", "--quiet", "--python", sys.executable, str(venv))
    constraints = venv / "constraints.txt"
    lines = (ROOT / "requirements.lock").read_text().splitlines()
    constraints.write_text("\n".join(line.rstrip(" \\") for line in lines if line[:1].isalnum()))
    python = str(venv / "bin" / "python")
    uv(
        *("pip", "install", "--quiet", "--python", python),
        *("--constraint", str(constraints), str(wheel)),
    )
    _lend_kernels(venv)
    yield Installation(venv, tmp_path_factory.mktemp("home"))
    shutil.rmtree(venv)


def _lend_kernels(environment: Path) -> None:
    """Copies machine code that the checkout has beside the same sources, which takes a minute."""
    (package,) = environment.glob("lib/python*/site-packages/autosim")
    for kept in (ROOT / "autosim").rglob("*.nb[ci]"):
        target = package / kept.relative_to(ROOT / "autosim")
        # A checkout also has those of modules that have moved since.
        if target.parents[1].is_dir():
            target.parent.mkdir(exist_ok=True)
            shutil.copyfile(kept, target)


def test_the_wheel_holds_its_packages_and_each_of_their_modules(wheel):
    with zipfile.ZipFile(wheel) as file:
        names = set(file.namelist())
    tops = {name.partition("/")[0] for name in names}
    assert {each for each in tops if not each.endswith(".dist-info")} == PACKAGES
    modules = {
        str(path.relative_to(ROOT)) for each in PACKAGES for path in (ROOT / each).rglob("*.py")
    }
    assert modules <= names


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_the_demo_runs_from_the_wheel_without_a_renderer(installed):
    ran = installed.run("autosim", "demo", "--headless", "--seconds", "3", "--out", "out")
    summary = json.loads((installed.home / "out" / "summary.json").read_text())
    assert summary["steps"] == 720
    assert summary["renderer"] == "none"
    assert "autosim[client]" in ran.stderr
    assert (installed.home / "out" / "path.png").exists()
    packages = {each.name for each in installed.venv.glob("lib/*/site-packages/*")}
    assert not packages & {"panda3d", "PyQt6"}


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_the_first_commands_run_from_the_wheel(installed):
    assert "testbench" in installed.run("autosim", "--help").stdout
    checked = installed.run("autosim", "check", "worlds/circle_town.xml")
    assert "0 errors, 0 warnings" in checked.stderr
    installed.run("autosim", "new", "my_project")
    assert (installed.home / "my_project" / "worlds").is_dir()
    bench = "testbenches/range_finding.xml"
    installed.run(
        *("autosim", "testbench", "run", bench),
        *("--headless", "--mode", "1", "--seconds", "3", "--out", "bench"),
    )
    assert json.loads((installed.home / "bench" / "summary.json").read_text())["failed"] == {}
    installed.run("python", "-m", "autosim_assets.make_cone_track", "track")
    assert (installed.home / "track").is_dir()
    steps = "import autosim; w = autosim.load_world('worlds/circle_town.xml'); print(w.name)"
    assert installed.run("python", "-c", steps).stdout.strip()


def test_two_checkouts_build_the_same_bytes(wheel: Path, tmp_path: Path) -> None:
    git = ["git", "-C", str(ROOT)]
    listed = subprocess.run([*git, "ls-files", "-z"], check=True, capture_output=True).stdout
    copy = tmp_path / "elsewhere"
    for name in (*listed.decode().split("\0"), *map(str, built_page())):
        if name and (ROOT / name).is_file():
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / name, copy / name)  # with other times and permissions
    again = build(copy, tmp_path / "dist")
    sums = [(each.parent / "SHA256SUMS").read_text() for each in (wheel, again)]
    assert sums[0] == sums[1]


def built_page() -> list[Path]:
    page = ROOT / "autosim" / "web" / "page"
    return [each.relative_to(ROOT) for each in page.rglob("*") if each.is_file()]


def test_the_bill_of_materials_has_all_that_the_wheel_requires(wheel: Path) -> None:
    (bill,) = wheel.parent.glob("*.cdx.json")
    content = json.loads(bill.read_text())
    assert content["bomFormat"] == "CycloneDX"
    listed = {each["name"].lower().replace("_", "-") for each in content["components"]}
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    required = {re.split(r"[\[>=<!; ]", each)[0].lower() for each in project["dependencies"]}
    assert required <= listed
    locked = (ROOT / "requirements.lock").read_text()
    assert all(f"{each['name']}=={each['version']}" in locked for each in content["components"])
