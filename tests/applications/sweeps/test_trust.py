"""Folders of sweeps from elsewhere: their runs run no code of them."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from autosim.applications.sweeps.folder import SweepFolder
from autosim.applications.sweeps.run_records import record_of
from autosim.applications.sweeps.trust import require_own_run
from autosim.cli import main
from autosim.errors import UserError
from tests.applications.sweeps.conftest import order_of

Change = Callable[[Path], dict[str, object]]


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of the user, and the working directory."""
    folder = tmp_path / "project"
    (folder / "userprograms").mkdir(parents=True)
    monkeypatch.chdir(folder)
    monkeypatch.delenv("AUTOSIM_PATH", raising=False)
    return folder


def sweep_in(folder: Path, files: dict[str, bytes], **changes: object) -> SweepFolder:
    sweep = SweepFolder(folder / "sweep")
    sweep.keep_plan([(replace(order_of(0), **changes), files)])
    return sweep


def test_a_run_of_ones_own_folders_may_run(project: Path):
    (project / "studies").mkdir()
    sweep = sweep_in(
        project,
        {"worlds/w.xml": b"<World/>"},
        roots=(str(project / "studies"), str(project)),
        measured_by=str(project / "studies" / "measure.py"),
    )
    require_own_run(sweep.run("run0"))


@pytest.mark.parametrize(
    "name", ["userprograms/x.py", "plugins/x.py", "x.so", "userprograms/x.xml.py"]
)
def test_code_among_the_files_of_a_run_is_refused(project: Path, name: str):
    sweep = sweep_in(project, {name: b""}, roots=(str(project),))
    with pytest.raises(UserError, match="a run's own files are data, and this is not; if"):
        require_own_run(sweep.run("run0"))


def test_links_among_the_files_of_a_run_are_refused(project: Path):
    sweep = sweep_in(project, {"worlds/w.xml": b""}, roots=(str(project),))
    (sweep.run("run0").files / "userprograms").symlink_to(project / "userprograms")
    with pytest.raises(UserError, match="are data"):
        require_own_run(sweep.run("run0"))


@pytest.mark.parametrize("place", ["runs", "runs/run0", "runs/run0/log.txt", "runs/run0/files"])
def test_a_run_that_leads_elsewhere_by_a_link_is_refused(project: Path, place: str):
    sweep = sweep_in(project, {"worlds/w.xml": b""}, roots=(str(project / "sweep"),))
    link, target = sweep.path / place, project / "sweep" / "a" / "b" / "c"
    target.parent.mkdir(parents=True)
    if link.exists():
        link.rename(target)
    link.symlink_to(target)
    with pytest.raises(UserError, match="is a link"):
        require_own_run(sweep.run("run0"))


@pytest.mark.parametrize(
    "change",
    [
        lambda folder: {"roots": (str(folder / "elsewhere"),)},
        lambda folder: {"roots": (str(folder / "project" / "sweep" / "code"),)},
        lambda folder: {"roots": (".",)},
        lambda folder: {"roots": (str(folder / "project" / "downloaded"),)},
        lambda folder: {"measured_by": str(folder / "project" / "downloaded" / "study.py")},
        lambda folder: {"roots": (str(folder / "project" / ".." / "elsewhere"),)},
        lambda folder: {"measured_by": str(folder / "elsewhere" / "study.py")},
        lambda folder: {"measured_by": "study.py"},
        lambda folder: {"world": "../../../elsewhere/w.xml"},
    ],
)
def test_code_of_other_folders_needs_trust(project: Path, change: Change):
    (project.parent / "elsewhere").mkdir()
    (project / "downloaded").mkdir()
    sweep = sweep_in(project, {}, **change(project.parent))
    with pytest.raises(UserError):
        require_own_run(sweep.run("run0"))
    result = CliRunner().invoke(main, ["sweep", "work", str(sweep.path)])
    assert result.exit_code != 0
    assert sweep.run("run0").outcome() is None


def test_a_run_without_a_record_is_not_simulated_again_without_trust(project: Path):
    (project.parent / "elsewhere").mkdir()
    sweep = sweep_in(project, {}, roots=(str(project.parent / "elsewhere"),))
    run = sweep.run("run0")
    (run.path / "summary.json").write_text(
        '{"id": "run0", "status": "done", "parameters": {}, "seed": 0}'
    )
    with pytest.raises(UserError):
        record_of(run, is_trusted=False)


@pytest.mark.parametrize("runs", ['["../../x"]', '["a/b"]', "[1]", "3", '[""]'])
def test_a_plan_names_runs_and_no_other_folders(project: Path, runs: str):
    sweep = sweep_in(project, {})
    (sweep.path / "plan.json").write_text(f'{{"runs": {runs}}}')
    with pytest.raises(UserError, match="is not a folder of runs"):
        sweep.ids()
