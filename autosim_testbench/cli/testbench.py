"""`autosim testbench`."""

import json
from pathlib import Path

import click

from autosim.cli.cli_options import FILE, CommandGroup, Real, echo_escaped, example, explain_errors
from autosim_testbench.cli.testbench_board import board

_MODE = click.option(
    "--mode",
    type=click.IntRange(0, 2),
    help="Reality: 0 physical, 1 virtual, 2 augmented. Default: that of the file.",
)
_SECONDS = click.option(
    "--seconds", type=Real(0.001, 1e7), help="Duration [s]. Default: until a required node ends."
)
_SEED = click.option("--seed", type=click.IntRange(0, 2**32 - 1), default=0, show_default=True)


_TRUST = click.option(
    "--trust",
    "is_trusted",
    is_flag=True,
    help="Also run nodes that are not part of AutoSim: code of the author of FILE.",
)


@click.group(cls=CommandGroup)
def testbench() -> None:
    """Tests robot software against a simulated vehicle, a real one, or a mixture of both."""


@testbench.command(
    epilog=example(
        "autosim testbench run testbenches/range_finding.xml --mode 2 --seconds 60 --headless",
        "autosim testbench run testbenches/range_finding.xml --mode 2 --seconds 36 --out out/run",
    )
)
@click.argument("file", type=FILE)
@_MODE
@click.option(
    "--backend",
    default="embedded",
    show_default=True,
    help="Message transport: embedded, local, mqtt, amqp, zenoh, ros1, ros2, or an address such as "
    "mqtt://HOST. Except with embedded, each node runs in its own process.",
)
@_SECONDS
@_SEED
@click.option("--headless", is_flag=True, help="Run without a window.")
@click.option(
    "--real-time",
    is_flag=True,
    help="With embedded and without a window: no faster than real time.",
)
@click.option(
    "--lockstep",
    "in_step",
    is_flag=True,
    help="With any backend but embedded: nodes take turns, as in one process, and equal runs give "
    "equal bytes.",
)
@click.option(
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    help="Folder for summary.json and the files of the nodes.",
)
@explain_errors
def run(
    file: Path,
    mode: int | None,
    backend: str,
    seconds: float | None,
    seed: int,
    headless: bool,
    real_time: bool,
    in_step: bool,
    out: Path | None,
) -> None:
    """Runs the nodes of a launch file.

    With a display and PyQt6 a window shows nodes, topics, rates, delays and figures, and can switch
    modes; the bench then runs in real time. Without a window it runs as fast as possible.
    """
    from autosim.errors import UserError
    from autosim_testbench.applications.run_bench import faults_of, in_words
    from autosim_testbench.bench_program import run_test_bench
    from autosim_testbench.launch.bench import BenchOptions
    from autosim_testbench.launch.launch_file import load_launch
    from autosim_testbench.nodes.reality import RealityMode

    options = BenchOptions(
        seconds=seconds,
        mode=None if mode is None else RealityMode(mode),
        seed=seed,
        folder=out.resolve() if out else None,
        in_real_time=real_time,
        in_step=in_step,
    )
    _warn_of(backend)
    summary = run_test_bench(
        load_launch(file), backend=backend, options=options, has_window=not headless
    )
    for line in in_words(summary):
        echo_escaped(line)
    if out:
        echo_escaped(f"{out / 'summary.json'}: written")
    if faults := faults_of(summary):
        raise UserError("\n".join(f"{file}: error: {each}" for each in faults))


def _warn_of(backend: str) -> None:
    from autosim_testbench.backends.opening import risk_of

    if risk := risk_of(backend):
        echo_escaped(f"warning: {risk}", err=True)


@testbench.command(epilog=example("autosim testbench check testbenches/range_finding.xml"))
@click.argument("file", type=FILE)
@_TRUST
@explain_errors
def check(file: Path, is_trusted: bool) -> None:
    """Sets up all nodes without running them, and reports all faults."""
    from autosim.config.diagnostics import Diagnostics
    from autosim.errors import UserError
    from autosim_testbench.applications.topology import topology_of
    from autosim_testbench.launch.launch_file import load_launch

    found = Diagnostics()
    topology = topology_of(load_launch(file, found), is_trusted=is_trusted)
    for each in found.all:
        echo_escaped(str(each))
    for line in topology.unused:
        echo_escaped(f"{file}:{line}")
    if topology.faults:
        raise UserError("\n".join(f"{file}: error: {each}" for each in topology.faults))
    echo_escaped(f"{file}: {len(topology.nodes)} nodes, {len(topology.topics)} topics")


@testbench.command(epilog=example("autosim testbench topics testbenches/range_finding.xml"))
@click.argument("file", type=FILE)
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
@click.option(
    "--python",
    "as_python",
    is_flag=True,
    help="Print the message classes in Python, to copy into a file of nodes.",
)
@_TRUST
@explain_errors
def topics(file: Path, as_json: bool, as_python: bool, is_trusted: bool) -> None:
    """Lists the topics with their message kinds, publishers and subscribers."""
    from autosim_testbench.applications.topology import topology_of
    from autosim_testbench.launch.launch_file import load_launch
    from autosim_testbench.messages.declaration import python_declarations

    topology = topology_of(load_launch(file), is_trusted=is_trusted)
    found = topology.topics
    for name, uses in topology.conflicts.items():
        echo_escaped(f"{file}: warning: topic {name!r} has different kinds: {uses}", err=True)
    if as_python:
        kinds = {each.kind.type_id(): each.kind for each in found.values()}
        echo_escaped(python_declarations(kinds.values()).rstrip())
        return
    if as_json:
        records = {
            name: {
                "kind": each.kind.__name__,
                "bytes": each.kind.size(),
                "publishers": each.publishers,
                "subscribers": each.subscribers,
            }
            for name, each in found.items()
        }
        echo_escaped(json.dumps(records, indent=2))
        return
    width = max(map(len, found), default=0)
    for name, each in found.items():
        ends = f"{', '.join(each.publishers) or '-'} → {', '.join(each.subscribers) or '-'}"
        echo_escaped(f"{name:{width}}  {each.kind.__name__} ({each.kind.size()} bytes)  {ends}")


@testbench.command(
    epilog=example("autosim testbench graph testbenches/range_finding.xml --out graph.svg")
)
@click.argument("file", type=FILE)
@click.option(
    "--out",
    type=click.Path(path_type=Path, dir_okay=False),
    help="SVG file to write. Default: the name of FILE with .svg, here.",
)
@_TRUST
@explain_errors
def graph(file: Path, out: Path | None, is_trusted: bool) -> None:
    """Draws the graph of nodes and topics."""
    from autosim.errors import UserError
    from autosim_testbench.applications.graph import draw_graph
    from autosim_testbench.applications.topology import topology_of
    from autosim_testbench.launch.launch_file import load_launch

    picture = out or Path(file.with_suffix(".svg").name)
    try:
        picture.write_text(draw_graph(topology_of(load_launch(file), is_trusted=is_trusted)))
    except OSError as error:
        raise UserError(f"{picture}: cannot be written: {error.strerror}") from error
    echo_escaped(f"{picture}: written")


@testbench.command(
    epilog=example("autosim testbench echo testbenches/range_finding.xml range --seconds 5")
)
@click.argument("file", type=FILE)
@click.argument("topic")
@_MODE
@_SECONDS
@_SEED
@explain_errors
def echo(file: Path, topic: str, mode: int | None, seconds: float | None, seed: int) -> None:
    """Runs a bench in this process and prints the messages of a topic."""
    from autosim_testbench.applications.listen import in_words, listen
    from autosim_testbench.launch.bench import BenchOptions
    from autosim_testbench.launch.launch_file import load_launch
    from autosim_testbench.nodes.reality import RealityMode

    options = BenchOptions(seconds, None if mode is None else RealityMode(mode), seed)
    listen(
        load_launch(file),
        topic,
        options,
        lambda time, message: echo_escaped(f"{time:.3f} s  {in_words(message)}"),
    )


@testbench.command(
    epilog=example("autosim testbench hz testbenches/range_finding.xml range --seconds 20")
)
@click.argument("file", type=FILE)
@click.argument("topic")
@_MODE
@click.option(
    "--seconds", type=Real(0.001, 1e7), default=10.0, show_default=True, help="Duration [s]."
)
@_SEED
@explain_errors
def hz(file: Path, topic: str, mode: int | None, seconds: float, seed: int) -> None:
    """Runs a bench in this process and measures the message rate of a topic."""
    from autosim_testbench.applications.listen import listen, rate_of
    from autosim_testbench.launch.bench import BenchOptions
    from autosim_testbench.launch.launch_file import load_launch
    from autosim_testbench.nodes.reality import RealityMode

    times: list[float] = []
    options = BenchOptions(seconds, None if mode is None else RealityMode(mode), seed)
    listen(load_launch(file), topic, options, lambda time, _: times.append(time))
    found = rate_of(times)
    if "rate_hz" not in found:
        echo_escaped(f"{topic}: {found['messages']} messages in {seconds:g} s")
        return
    gap = found["gap_s"]
    echo_escaped(
        f"{topic}: {found['messages']} messages, {found['rate_hz']:.2f} Hz; between two: least "
        f"{gap['least'] * 1000:.1f} ms, most {gap['most'] * 1000:.1f} ms, "
        f"deviation {gap['deviation'] * 1000:.2f} ms"
    )


@testbench.command(epilog=example("autosim testbench mode range_combiner 1"))
@click.argument("node")
@click.argument("mode", type=click.IntRange(0, 2))
@click.option("--bench", type=FILE, help="Launch file of the bench, if several run.")
@explain_errors
def mode(node: str, mode: int, bench: Path | None) -> None:
    """Switches the mode of a node of a running bench: 0 physical, 1 virtual, 2 augmented."""
    from autosim_testbench.applications.mode_server import request_mode
    from autosim_testbench.nodes.reality import RealityMode

    request_mode(node, mode, bench)
    echo_escaped(f"{node}: {RealityMode(mode).name.lower()}")


@testbench.command(
    epilog=example("autosim testbench export testbenches/range_finding.xml --out out/autosim_msgs")
)
@click.argument("file", type=FILE)
@click.option(
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    required=True,
    help="Folder of the package.",
)
@explain_errors
def export(file: Path, out: Path) -> None:
    """Exports a bench as a ROS 1 package: a launch file and its message definitions."""
    from autosim_testbench.applications.ros_package import export_package
    from autosim_testbench.launch.launch_file import load_launch

    for each in export_package(load_launch(file), out):
        echo_escaped(f"{each}: written")


@testbench.command(
    epilog=example(
        "autosim testbench node testbenches/range_finding.xml sense --backend mqtt://HOST"
    )
)
@click.argument("file", type=FILE)
@click.argument("node")
@click.option("--backend", required=True, help="Address of the message transport.")
@_MODE
@_SEED
@click.option(
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    help="Folder for the files of the node.",
)
@explain_errors
def node(
    file: Path, node: str, backend: str, mode: int | None, seed: int, out: Path | None
) -> None:
    """Runs one node of a launch file in this process, until it ends or Ctrl+C is pressed.

    With ROS 1, the node's private parameters on the parameter server override those of the file.
    """
    from autosim_testbench.applications.run_node import run_node
    from autosim_testbench.launch.launch_file import load_launch
    from autosim_testbench.nodes.node import NodeContext

    _warn_of(backend)
    setting = NodeContext(seed, out.resolve() if out else None)
    for line in run_node(load_launch(file), node, backend=backend, mode=mode, setting=setting):
        echo_escaped(line)


@testbench.command(
    epilog=example("autosim testbench fit testbenches/range_finder_errors.csv --out out/fit")
)
@click.argument("file", type=FILE)
@click.option(
    "--criterion",
    type=click.Choice(["aic", "ks", "square"]),
    default="aic",
    show_default=True,
    help="Criterion for ranking the fits: Akaike's information criterion, the Kolmogorov-Smirnov "
    "statistic, or the squared error to the histogram.",
)
@click.option("--out", type=FILE, help="Folder for fit.json and the figure fit.svg.")
@explain_errors
def fit(file: Path, criterion: str, out: Path | None) -> None:
    """Fits nine distributions to a range finder's errors, for the virtual range finder.

    FILE is a CSV with the columns true and measured [m], as written by autosim testbench board
    measure.
    """
    from autosim_testbench.applications.fit import fit_file, in_words, write_fits

    found = fit_file(file, criterion)
    for line in in_words(found):
        echo_escaped(line)
    if out:
        write_fits(found, out)
        echo_escaped(f"{out / 'fit.svg'}: written")


testbench.add_command(board)
