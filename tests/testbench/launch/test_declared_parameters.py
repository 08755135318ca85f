"""The plain check of a bench names wrong parameters and files without running code of nodes."""

from pathlib import Path

import pytest

from autosim.config.diagnostics import Diagnostics
from autosim.config.reading.sources import open_source
from autosim_testbench.applications.bench_check import check_launch
from tests.paths import ROOT

OWN = """\
raise RuntimeError("this code was run")

from autosim_testbench.nodes.node import Node
from autosim_testbench.nodes.parameters import choice_of, number_of, whole_number_of

def radius(node):
    return number_of(node, "radius", 0.6)

class Own(Node):
    def setup(self, arguments):
        self.gain = number_of(self, "gain")
        self.rays = whole_number_of(self, "rays", 8)
        self.rule = choice_of(self, "rule", ("mean", "last"))
        self.start = [number_of(self, each, 0.0) for each in ("x", "y")]
        self.radius = radius(self)
        if "limit" in self.parameters:
            self.limit = number_of(self, "limit")

class Heir(Own):
    pass

class Open(Node):
    def setup(self, arguments):
        for name, topic in self.parameters.items():
            self.subscribe(name, topic)
"""


def faults(folder: Path, kind: str, parameters: str, pkg: str = "own.py") -> list[str]:
    """The faults of a bench of one node with the parameters `name=value …`."""
    (folder / "own.py").write_text(OWN)
    given = "".join(
        '<param name="~{}" value="{}"/>'.format(*each.split("=")) for each in parameters.split()
    )
    bench = folder / "bench.xml"
    bench.write_text(
        f'<launch>\n<node name="a" pkg="{pkg}" type="{kind}">{given}</node>\n</launch>'
    )
    found = Diagnostics()
    source = open_source(bench, found)
    assert source is not None
    check_launch(source, is_trusted=False)
    return [f"{each.level}: {each.message}" for each in found.all]


@pytest.mark.parametrize("kind", ["Own", "Heir"])
def test_parameters_that_the_code_reads_are_not_faults(tmp_path: Path, kind: str) -> None:
    assert faults(tmp_path, kind, "gain=1 rays=4 rule=last x=1 y=2 radius=1 limit=3") == []
    assert faults(tmp_path, kind, "gain=1e-3") == []


@pytest.mark.parametrize(
    ("parameters", "fault"),
    [
        ("rays=4", "error: node 'a' needs the parameter 'gain'"),
        ("gain=much", "error: node 'a' parameter gain is 'much', which is not a number"),
        ("gain=1 rays=2.5", "error: node 'a' parameter rays is 2.5, but has to be 1, 2, 3 …"),
        ("gain=1 rule=best", "error: node 'a' parameter rule is 'best', none of mean, last"),
        ("gain=1 limt=2", "warning: node 'a' does not use its parameter 'limt'; did you mean"),
    ],
)
def test_wrong_names_and_values_are_named(tmp_path: Path, parameters: str, fault: str) -> None:
    (found,) = faults(tmp_path, "Own", parameters)
    assert found.startswith(fault)


def test_a_node_that_reads_parameters_by_computed_names_may_have_any(tmp_path: Path) -> None:
    assert faults(tmp_path, "Open", "anything=1") == []


def test_files_that_are_missing_are_named(tmp_path: Path) -> None:
    pkg = "autosim_testbench.range_finding.virtual_side"
    given = "heading=h range=r scene=nothing.xml"
    (found,) = faults(tmp_path, "VirtualEnvironment", given, pkg)
    assert found == f"error: node 'a' parameter scene: there is no file {tmp_path}/nothing.xml"
    pkg = "autosim_testbench.bridge.simulated_world"
    (found,) = faults(tmp_path, "SimulatedWorld", "world=worlds/nothing.xml", pkg)
    assert found == "error: node 'a' parameter world: there is no world file 'worlds/nothing.xml'"


@pytest.mark.parametrize("pkg", ["no_such_package", "no_such.package", "numpy.nothing.at_all"])
def test_a_package_that_is_missing_is_named(tmp_path: Path, pkg: str) -> None:
    (found,) = faults(tmp_path, "Own", "", pkg)
    assert found.startswith(f"error: node 'a': there is no module '{pkg}'")


def test_shipped_benches_have_no_faults() -> None:
    for file in sorted((ROOT / "testbenches").glob("*.xml")):
        found = Diagnostics()
        source = open_source(file, found)
        assert source is not None
        if "<launch>" in file.read_text():
            check_launch(source, is_trusted=False)
            assert not found.all
