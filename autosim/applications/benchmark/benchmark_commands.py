"""The commands of `autosim benchmark`."""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from autosim.applications.benchmark.benchmark_plan import plan_benchmark
from autosim.applications.benchmark.benchmark_report import write_report
from autosim.applications.benchmark.benchmark_results import (
    RESULTS,
    BenchmarkResults,
    EpisodeScores,
    read_results,
    write_results,
)
from autosim.applications.common.files import write_whole
from autosim.applications.sweeps.executors.executor import Executor
from autosim.applications.sweeps.folder import SweepFolder
from autosim.applications.sweeps.sweep import do_sweep
from autosim.benchmark.agents import find_agent
from autosim.benchmark.carla_routes import read_carla_routes, suite_of_routes
from autosim.config.suites import Suite
from autosim.errors import UserError
from autosim.loading.suite_file import load_suite, suite_names

DEFAULT_FOLDER = Path("out/benchmarks")
"""Folder of benchmarks, each in a subfolder with the names of its suite and agent."""

_SCORE_TOLERANCE = 1e-9
"""Difference of scores [1] up to which they are equal: sums round by less."""


def run_benchmark(
    suite_name: str,
    agent_text: str,
    executor: Executor,
    *,
    out: Path | None,
    limit: int | None,
    seeds: int | None,
    is_again: bool,
) -> Iterator[str]:
    """Runs the unfinished episodes of a suite and writes the results; yields lines about them.

    Args:
        suite_name: name or file of the suite.
        agent_text: the agent, as `find_agent` takes it.
        executor: does the runs.
        out: folder of the results.
        limit: largest number of episodes, None for all.
        seeds: number of seeds per route, None for that of the suite.
        is_again: also episodes that came to no result.

    Raises:
        UserError: the suite or the agent cannot be used, or a run cannot continue.
    """
    suite, agent = load_suite(suite_name), find_agent(agent_text)
    if seeds is not None:
        suite = replace(suite, seeds=seeds)
    folder = SweepFolder(out or DEFAULT_FOLDER / f"{suite.name}-{agent.name}")
    ids = folder.keep_plan(plan_benchmark(suite, agent, limit))
    message = do_sweep(folder, ids, executor, is_again=is_again)
    if message:
        yield f"{message} (autosim benchmark show {folder.path} writes the results)"
        return
    yield from show_benchmark(folder.path)


def import_routes(
    file: Path, maps: Path, out: Path, *, vehicles: int, people: int
) -> Iterator[str]:
    """Writes a suite of the routes in a file of the CARLA Leaderboard; yields lines about it.

    Args:
        file: the routes.
        maps: folder of the OpenDRIVE maps of CARLA's towns.
        out: file of the suite.
        vehicles: of traffic in each route.
        people: pedestrians in each route.

    Raises:
        ConfigError: a file has faults.
        UserError: a town has no map, or a route cannot be used.
    """
    routes = read_carla_routes(file)
    text = suite_of_routes(out, routes, maps, vehicles=vehicles, people=people)
    write_whole(out, text.encode())
    towns = sorted({each.town for each in routes})
    yield f"wrote {out}: {len(routes)} routes in {', '.join(towns)}; scenarios are left out"


def repeat_benchmark(
    suite_name: str, agent_text: str, executor: Executor, *, out: Path, limit: int, repeats: int
) -> Iterator[str]:
    """Runs the first episodes of a suite several times, and compares digests and scores.

    Raises:
        UserError: two repetitions differ; or as `run_benchmark`.
    """
    first: BenchmarkResults | None = None
    for number in range(repeats):
        folder = out / f"repeat_{number:03d}"
        for _ in run_benchmark(
            *(suite_name, agent_text, executor),
            out=folder,
            limit=limit,
            seeds=None,
            is_again=False,
        ):
            pass
        results = read_results(folder)
        first = first or results
        if digests_of(results) != digests_of(first):
            raise UserError(
                f"{folder} differs from {out / 'repeat_000'}: autosim benchmark compare"
            )
    assert first is not None
    total = hashlib.sha256("".join(digests_of(first).values()).encode()).hexdigest()
    scores = first["scores"]
    yield (
        f"{len(first['episodes'])} episodes × {repeats} repetitions: spread 0 of all scores "
        f"(driving score {scores['driving_score']:.3f}), one digest {total[:16]}"
    )


def digests_of(results: BenchmarkResults) -> dict[str, str]:
    """Digest of each episode, with its scores."""
    return {
        episode_key(each): f"{each['digest']} {each['driving_score']} {each['closed_loop_score']}"
        for each in results["episodes"]
    }


def episode_key(episode: EpisodeScores) -> str:
    """Name of an episode that is the same for all agents."""
    return f"{episode['group']}/{episode['route']} seed {episode['seed']}"


def show_benchmark(path: Path) -> Iterator[str]:
    """Writes the results and the report of a folder, and yields them as text.

    Raises:
        UserError: it is not the folder of a benchmark.
    """
    folder = SweepFolder(path)
    results = write_results(folder)
    report = write_report(folder, results)
    for each in results["episodes"]:
        driving, closed = each["driving_score"], each["closed_loop_score"]
        yield (
            f"{episode_key(each):32} driving {driving['score']:6.2f}  completion "
            f"{driving['route_completion']:6.2f} %  closed loop {closed['score']:6.2f}  "
            f"{each['ended_by']:9} {each['digest'][:12]}"
        )
        for found in each["infractions"]:
            where = f"x {found['x']:.1f} m, y {found['y']:.1f} m"
            yield f"    {found['time']:7.2f} s  {found['kind']:20} {where}: {found['text']}"
        if each["failure"]:
            yield f"    {each['failure'].splitlines()[0]}"
    scores = results["scores"]
    if scores["episodes"]:
        yield (
            f"{results['agent']} on {results['suite']}: driving score "
            f"{scores['driving_score']:.2f}, route completion {scores['route_completion']:.2f} %, "
            f"closed-loop score {scores['closed_loop_score']:.2f} "
            f"({results['done']} of {results['planned']} episodes)"
        )
    yield f"wrote {path / RESULTS} and {report}"


def list_suites() -> Iterator[str]:
    """Lines about all suites: name, episodes and description."""
    for name in suite_names():
        suite = load_suite(name)
        yield f"{suite.name:14} {_episodes(suite):4} episodes  {suite.track:7} {suite.text}"
        for group in suite.groups:
            routes = f"{group.routes} routes of {group.length:g} m"
            yield f"    {group.name:14} {group.split:10} {routes}"


def _episodes(suite: Suite) -> int:
    return suite.seeds * sum(group.routes for group in suite.groups)


def compare_benchmarks(paths: Sequence[Path]) -> Iterator[str]:
    """Compares results with the first ones: mean scores, then episodes that differ.

    Raises:
        UserError: one has no results.
    """
    results = [read_results(path) for path in paths]
    width = max(len(str(path)) for path in paths)
    for path, each in zip(paths, results, strict=True):
        scores = each["scores"]
        if scores["episodes"]:
            yield (
                f"{path!s:{width}}  driving {scores['driving_score']:6.2f}  closed loop "
                f"{scores['closed_loop_score']:6.2f}  arrived {100.0 * scores['arrived']:5.1f} %  "
                f"{scores['episodes']} episodes"
            )
    first = {episode_key(each): each for each in results[0]["episodes"]}
    for path, each in zip(paths[1:], results[1:], strict=True):
        yield from _differences(path, first, {episode_key(e): e for e in each["episodes"]})


def _differences(
    path: Path, first: Mapping[str, EpisodeScores], other: Mapping[str, EpisodeScores]
) -> Iterator[str]:
    shared = [key for key in first if key in other]
    same = sum(first[key]["digest"] == other[key]["digest"] for key in shared)
    yield f"{path}: {len(shared)} episodes in common, {same} with the same digest"
    for key in shared:
        before, after = (each[key]["driving_score"]["score"] for each in (first, other))
        nuplan = [each[key]["closed_loop_score"]["score"] for each in (first, other)]
        is_same = abs(before - after) + abs(nuplan[0] - nuplan[1]) < _SCORE_TOLERANCE
        if not is_same:
            yield (
                f"    {key:32} driving {before:6.2f} → {after:6.2f}  closed loop "
                f"{nuplan[0]:6.2f} → {nuplan[1]:6.2f}"
            )
