"""Does a sweep: from a study to a folder of results and a table."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from autosim.applications.common.open_worlds import compile_with_progress
from autosim.applications.common.terminal import progress_bar, tell
from autosim.applications.sweeps.executors.executor import Executor
from autosim.applications.sweeps.folder import DEFAULT_FOLDER, SweepFolder
from autosim.applications.sweeps.outcomes import Outcome
from autosim.applications.sweeps.run_plan import plan_runs
from autosim.applications.sweeps.scenario_variants import SUFFIX
from autosim.applications.sweeps.supervision import is_open
from autosim.applications.sweeps.table import write_table
from autosim.config.studies import Study
from autosim.loading.studies.points import grid_values
from autosim.loading.studies.study_file import load_study
from autosim.loading.studies.study_inputs import StudyInputs
from autosim.traffic.scenarios.scenario_starts import with_start_poses


@dataclass(frozen=True, slots=True)
class SweepResult:
    """Status of a sweep: numbers of its `runs` by status.

    Attributes:
        folder: folder with the results.
        done: number of runs that have ended, with whatever result.
        counts: number of runs by status.
    """

    folder: Path
    runs: int
    done: int
    counts: dict[str, int]

    @property
    def is_good(self) -> bool:
        """Whether all is done and no run has failed."""
        return self.counts.get("passed", 0) + self.counts.get("done", 0) == self.runs

    def as_text(self) -> str:
        """In words."""
        counts = ", ".join(f"{count} {name}" for name, count in self.counts.items())
        return f"{self.folder}: {self.done} of {self.runs} runs done" + (
            f" ({counts})" if counts else ""
        )


def open_sweep(study_file: Path, out: Path | None) -> tuple[Study, SweepFolder, list[str]]:
    """Plans the runs of a study, and keeps the plan in the sweep's folder.

    Raises:
        UserError: the study, or what it refers to, has faults.
    """
    study, inputs = load_study(study_file)
    check_base(inputs)
    folder = SweepFolder(out or DEFAULT_FOLDER / study.name)
    return study, folder, folder.keep_plan(plan_runs(study, inputs))


def open_folder(sweep: Path, out: Path | None) -> SweepFolder:
    """The folder that is named, or that of a study which is.

    Raises:
        UserError: the study has faults.
    """
    if out is not None:
        return SweepFolder(out)
    if sweep.is_dir():
        return SweepFolder(sweep)
    if sweep.suffix == SUFFIX:
        return SweepFolder(DEFAULT_FOLDER / sweep.stem)
    study, _ = load_study(sweep)
    return SweepFolder(DEFAULT_FOLDER / study.name)


def check_base(inputs: StudyInputs) -> None:
    """Compiles the world and finds all places: once, before any run does.

    Raises:
        UserError: one of it is not possible.
    """
    with_start_poses(inputs.world, compile_with_progress(inputs.world))


def do_sweep(folder: SweepFolder, ids: Sequence[str], executor: Executor, *, is_again: bool) -> str:
    """Executes all unfinished runs; returns a message about those that continue elsewhere.

    Args:
        folder: of the sweep.
        ids: of its runs.
        executor: does them.
        is_again: also those that came to no result.

    Raises:
        UserError: it cannot continue; finished runs are kept.
    """
    open_runs = [each for each in ids if _is_open(folder, each, is_again=is_again)]
    done = len(ids) - len(open_runs)
    try:
        with progress_bar() as bar:
            task = bar.add_task(_progress(done, len(ids)), total=len(ids), completed=done)

            def tell_of(outcome: Outcome) -> None:
                nonlocal done
                done += 1
                bar.update(task, completed=done, description=_progress(done, len(ids)))
                if not outcome.is_good:
                    tell(f"{outcome.id}: {bad_news(outcome)}")

            return executor.execute(folder, open_runs, tell_of) if open_runs else ""
    except KeyboardInterrupt:
        tell(f"{_progress(done, len(ids))} are done; run the same command again to continue")
        raise
    finally:
        write_table(folder)


def plan_text(study: Study, folder: SweepFolder) -> str:
    """The runs of a study, and how many of them are done."""
    parts = [
        f"{each.name}: "
        + ("sampled" if each.is_sampled else f"{len(grid_values(each))} values")
        + f" from {grid_values(each)[0]} to {grid_values(each)[-1]}"
        for each in study.parameters
    ]
    if study.cases:
        parts.append(f"{len(study.cases)} cases")
    if study.samples:
        parts.append(f"{study.samples} samples")
    parts.append(f"{len(study.seeds)} seed{'' if len(study.seeds) == 1 else 's'}")
    return "\n".join([*parts, result_of(folder).as_text()])


def _is_open(folder: SweepFolder, run_id: str, *, is_again: bool) -> bool:
    run = folder.run(run_id)
    outcome = run.outcome()
    if outcome is None:
        return True
    if is_again and outcome.status != "done":
        run.forget()
        return True
    return is_open(outcome, run.order())


def _progress(done: int, runs: int) -> str:
    return f"{done} of {runs} runs"


def bad_news(outcome: Outcome) -> str:
    """Error message of a run."""
    if outcome.failure:
        return f"{outcome.status}: {outcome.failure.splitlines()[0]}"
    broken = [
        name
        for name, how in (outcome.scenario or {}).get("criteria", {}).items()
        if how == "broken"
    ]
    return f"failed: {', '.join(broken)}"


def result_of(folder: SweepFolder) -> SweepResult:
    """Current status of a sweep."""
    outcomes = [outcome for _, outcome in folder.outcomes()]
    done = [each for each in outcomes if each is not None]
    counts = Counter(each.standing for each in done)
    return SweepResult(folder.path, len(outcomes), len(done), dict(counts))
