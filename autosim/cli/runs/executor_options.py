"""Options of commands that execute many runs: on this machine, on Ray, Slurm or Kubernetes."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import click

if TYPE_CHECKING:
    from autosim.applications.sweeps.executors.executor import Executor

FunctionT = TypeVar("FunctionT", bound=Callable[..., object])

_OPTIONS = (
    click.option(
        "--executor",
        type=click.Choice(["local", "ray", "slurm", "kubernetes"]),
        default="local",
        show_default=True,
        help="Where the runs are executed.",
    ),
    click.option(
        "--tasks", type=click.IntRange(1), default=100, help="Number of tasks of a batch system."
    ),
    click.option(
        "--ray", "ray_address", default="", help="Address of a Ray cluster. Default: this machine."
    ),
    click.option(
        "--sbatch", "sbatch_options", multiple=True, help="Option for sbatch; may be repeated."
    ),
    click.option("--image", help="Container image with AutoSim, for Kubernetes."),
    click.option(
        "--volume-claim",
        "claim",
        help="PersistentVolumeClaim with the files of the working directory, for Kubernetes.",
    ),
)


def executor_options(command: FunctionT) -> FunctionT:
    """Adds the options that choose an executor; `choose_executor` takes their values."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def choose_executor(
    name: str,
    jobs: int | None,
    tasks: int,
    ray_address: str,
    sbatch_options: tuple[str, ...],
    image: str | None,
    claim: str | None,
) -> "Executor":
    """The executor that the options choose.

    Raises:
        click.UsageError: an option of Kubernetes is missing.
    """
    from autosim.applications.sweeps.executors.batches import Kubernetes, Slurm
    from autosim.applications.sweeps.executors.local_pool import LocalPool
    from autosim.applications.sweeps.executors.ray_cluster import RayCluster

    processors = os.cpu_count() or 1
    if name == "ray":
        return RayCluster(ray_address, jobs or processors)
    if name == "slurm":
        return Slurm(tasks, jobs or 1, sbatch_options)
    if name == "kubernetes":
        if image is None or claim is None:
            raise click.UsageError("--executor kubernetes needs --image and --volume-claim")
        return Kubernetes(tasks, jobs or 1, image, claim, Path.cwd())
    return LocalPool(jobs or processors)
