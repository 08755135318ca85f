"""Executors beyond this machine: Ray, Slurm, Kubernetes."""

import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from autosim.applications.sweeps.executors.batches import Kubernetes, Slurm
from autosim.applications.sweeps.executors.ray_cluster import RayCluster
from autosim.applications.sweeps.sweep import result_of
from autosim.cli import main
from autosim.errors import UserError
from tests.applications.sweeps.conftest import MakeSweep
from tests.paths import ROOT

QUICK = """\
import sys
if not any("quick_run" in each for each in sys.orig_argv):
    from autosim.applications.sweeps import supervision
    supervision.RUN_PROCESS = "tests.applications.sweeps.quick_run"
"""
"""Makes the runs quick that other processes do; Python imports it when it starts."""

SBATCH = """\
#!/bin/sh
# Runs all tasks of an array job, one after the other, as Slurm would somewhere else.
for last; do script="$last"; done
echo "$@" > {folder}/asked
tasks=$(sed -n 's/#SBATCH --array=0-//p' "$script")
for task in $(seq 0 "$tasks"); do
    SLURM_ARRAY_TASK_ID=$task sh "$script" > {folder}/task-$task.log 2>&1 || exit 1
done
echo 4711
"""


def test_slurm_gets_an_array_job_whose_tasks_do_all_runs(
    make_sweep: MakeSweep, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    folder = make_sweep("", "", "")
    (tmp_path / "sbatch").write_text(SBATCH.format(folder=tmp_path))
    (tmp_path / "sbatch").chmod(0o755)
    # The tasks are other processes: they do quick runs, too.
    (tmp_path / "sitecustomize.py").write_text(QUICK)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    monkeypatch.setenv("PYTHONPATH", f"{tmp_path}:{ROOT}")
    executor = Slurm(tasks=2, jobs=1, options=("--partition=short",))
    said = executor.execute(folder, folder.ids(), print)
    assert "job 4711 of Slurm has 2 tasks" in said
    asked = shlex.split((tmp_path / "asked").read_text())
    assert asked == ["--parsable", "--partition=short", str(folder.path / "slurm.sh")]
    assert result_of(folder).counts == {"done": 3}


def test_slurm_says_what_is_missing(make_sweep: MakeSweep, monkeypatch: pytest.MonkeyPatch):
    folder = make_sweep("")
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(UserError, match="there is no sbatch here; the job is written to"):
        Slurm(1, 1).execute(folder, folder.ids(), print)
    assert subprocess.run(["/bin/sh", "-n", str(folder.path / "slurm.sh")]).returncode == 0


def test_kubernetes_gets_an_indexed_job_that_does_a_share_in_each_pod(make_sweep: MakeSweep):
    yaml = pytest.importorskip("yaml")
    folder = make_sweep("", "", "")
    place = folder.path.parent
    executor = Kubernetes(8, 2, "registry/autosim:1", "files", place)
    said = executor.execute(folder, folder.ids(), print)
    file = folder.path / "kubernetes.yaml"
    assert said == f"wrote {file}: kubectl apply -f {file}"
    job = yaml.safe_load(file.read_text())
    assert job["spec"]["completionMode"] == "Indexed"
    assert job["spec"]["completions"] == 3
    (container,) = job["spec"]["template"]["spec"]["containers"]
    assert container["image"] == "registry/autosim:1"
    assert container["volumeMounts"][0]["mountPath"] == str(place)
    words = shlex.split(container["command"][2].replace("$JOB_COMPLETION_INDEX", "1"))
    assert words == [
        *("exec", "autosim", "sweep", "work", str(folder.path), "--trust"),
        *("--share", "1/3", "--jobs", "2"),
    ]


def test_a_sweep_beyond_the_volume_is_refused(make_sweep: MakeSweep, tmp_path: Path):
    folder = make_sweep("")
    with pytest.raises(UserError, match="is not below"):
        Kubernetes(1, 1, "i", "c", tmp_path / "elsewhere").execute(folder, folder.ids(), print)


def test_a_share_is_every_nth_run_and_needs_no_study(make_sweep: MakeSweep):
    folder = make_sweep(*5 * [""])
    for share, done in (("1/2", 2), ("0/2", 5)):
        result = CliRunner().invoke(main, ["sweep", "work", str(folder.path), "--share", share])
        assert result.exit_code == 0, result.output
        assert result_of(folder).done == done
    result = CliRunner().invoke(main, ["sweep", "work", str(folder.path), "--share", "2/2"])
    assert result.exit_code == 2
    assert "'2/2' is not a share" in result.output


def test_ray_is_named_where_it_is_missing(make_sweep: MakeSweep, monkeypatch: pytest.MonkeyPatch):
    folder = make_sweep("")
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(UserError, match=r"pip install 'autosim\[ray\]'"):
        RayCluster("", 1).execute(folder, folder.ids(), print)


def test_a_ray_cluster_does_all_runs_and_one_that_was_killed_again(
    make_sweep: MakeSweep, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    pytest.importorskip("ray")
    (tmp_path / "sitecustomize.py").write_text(QUICK)
    monkeypatch.syspath_prepend(tmp_path)
    folder = make_sweep("", "die once", "")
    told: list[str] = []
    RayCluster("", 2).execute(folder, folder.ids(), lambda outcome: told.append(outcome.id))
    assert sorted(told) == ["run0", "run1", "run2"]
    assert result_of(folder).counts == {"done": 3}
