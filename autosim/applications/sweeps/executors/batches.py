"""Runs by a batch system: Slurm, or Kubernetes. Each task executes its share of the runs.

The order of a task names its share. Its command, `autosim sweep work`, searches the
folder for unfinished runs, so a restarted task continues where it was.
"""

import json
import re
import shlex
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from autosim.applications.common.files import write_whole
from autosim.applications.sweeps.executors.executor import OutcomeCallback
from autosim.applications.sweeps.folder import SweepFolder
from autosim.errors import UserError

MOST_TASKS = 1000
"""Number of tasks of an array that any Slurm takes (its default for MaxArraySize is 1001)."""

_SCRIPT = """\
#!/bin/sh
#SBATCH --job-name={name}
#SBATCH --array=0-{last}
#SBATCH --cpus-per-task={jobs}
#SBATCH --output={logs}
#SBATCH --requeue
exec {command} --share "$SLURM_ARRAY_TASK_ID/{tasks}" --jobs {jobs}
"""

_MANIFEST = """\
# kubectl apply -f {file}
apiVersion: batch/v1
kind: Job
metadata:
  name: {name}
spec:
  completionMode: Indexed
  completions: {tasks}
  parallelism: {tasks}
  backoffLimit: {attempts}
  template:
    spec:
      restartPolicy: Never
      containers:
        - name: sweep
          image: {image}
          workingDir: {place}
          command:
            - sh
            - -c
            - {command}
          resources:
            requests:
              cpu: "{jobs}"
          volumeMounts:
            - name: files
              mountPath: {place}
      volumes:
        - name: files
          persistentVolumeClaim:
            claimName: {claim}
"""

_ATTEMPTS = 3
"""Number of times that each task of Kubernetes is started on average, at most."""

_LONGEST_NAME = 63
"""Number of characters of a name in Kubernetes at most."""


@dataclass(frozen=True, slots=True)
class Slurm:
    """An array job of `tasks` tasks, each with `jobs` runs at a time, and `options` for sbatch."""

    tasks: int
    jobs: int
    options: tuple[str, ...] = ()

    def execute(self, folder: SweepFolder, runs: Sequence[str], told: OutcomeCallback) -> str:
        """Submits the job; see `Executor`."""
        path = folder.path.absolute()
        tasks = min(self.tasks, len(runs), MOST_TASKS)
        script = path / "slurm.sh"
        text = _SCRIPT.format(
            name=f"autosim-{path.name}",
            last=tasks - 1,
            jobs=self.jobs,
            logs=path / "slurm-%A_%a.log",
            command=shlex.join([sys.executable, "-P", "-m", *_work(path)]),
            tasks=tasks,
        )
        write_whole(script, text.encode())
        words = ["sbatch", "--parsable", *self.options, str(script)]
        try:
            done = subprocess.run(words, capture_output=True, text=True, check=False)
        except FileNotFoundError as error:
            raise UserError(f"there is no sbatch here; the job is written to {script}") from error
        if done.returncode:
            raise UserError(f"sbatch: {done.stderr.strip() or done.stdout.strip()}")
        job = done.stdout.strip().split(";")[0]
        return f"job {job} of Slurm has {tasks} tasks; autosim sweep show {folder.path} follows it"


@dataclass(frozen=True, slots=True)
class Kubernetes:
    """The manifest of an Indexed Job.

    `image`: one with AutoSim. `claim`: of a volume that is mounted at `place`, the folder here in
    which the sweep and the study's files lie.
    """

    tasks: int
    """Number of pods of the job."""
    jobs: int
    """Runs at a time in each pod."""
    image: str
    claim: str
    place: Path

    def execute(self, folder: SweepFolder, runs: Sequence[str], told: OutcomeCallback) -> str:
        """Writes the manifest; see `Executor`."""
        path = folder.path.absolute()
        if not path.is_relative_to(self.place):
            raise UserError(f"{path} is not below {self.place}, where the volume is mounted")
        tasks = min(self.tasks, len(runs))
        work = shlex.join(_work(path))
        command = f'exec {work} --share "$JOB_COMPLETION_INDEX/{tasks}" --jobs {self.jobs}'
        file = path / "kubernetes.yaml"
        # Text in JSON is text in YAML.
        text = _MANIFEST.format(
            file=file,
            name=_name_of(path.name),
            tasks=tasks,
            attempts=_ATTEMPTS * tasks,
            image=json.dumps(self.image),
            place=json.dumps(str(self.place)),
            command=json.dumps(command),
            jobs=self.jobs,
            claim=json.dumps(self.claim),
        )
        write_whole(file, text.encode())
        return f"wrote {file}: kubectl apply -f {file}"


def _name_of(folder: str) -> str:
    """A name that Kubernetes takes: small letters, digits and dashes."""
    plain = re.sub(r"[^a-z0-9]+", "-", f"autosim-{folder}".lower())
    return plain[:_LONGEST_NAME].strip("-")


def _work(path: Path) -> list[str]:
    """The command of a task, which trusts the sweep that its user has just planned."""
    return ["autosim", "sweep", "work", str(path), "--trust"]
