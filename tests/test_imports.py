"""How the modules of the package import each other."""

import graphlib
import subprocess
import sys

import grimp

from autosim.cli.command_table import MODULES, CommandTable


def test_no_module_imports_itself_through_others() -> None:
    """Counts all imports: those inside functions and for type checkers, too."""
    graph = grimp.build_graph("autosim", "autosim_testbench", "autosim_assets")
    order = graphlib.TopologicalSorter(
        {each: graph.find_modules_directly_imported_by(each) - {each} for each in graph.modules}
    )
    try:
        order.prepare()
    except graphlib.CycleError as error:
        raise AssertionError(" imports ".join(reversed(error.args[1]))) from None


def test_kinds_rays_and_kernels_are_imported_without_numba() -> None:
    """numba takes half a second to import, which commands and programs without kernels save."""
    code = (
        "import sys, autosim.kinds.registry, autosim.rays.caster, autosim.estimation.inertial, "
        "autosim.control.mppi, autosim.vehicle.model; print('numba' in sys.modules)"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert ran.stdout == "False\n", ran.stderr


def loaded_after(code: str, *names: str) -> list[str]:
    """Those of `names` that a new interpreter has imported after some code."""
    check = f"import sys; print(*(each for each in {names!r} if each in sys.modules))"
    ran = subprocess.run(
        [sys.executable, "-c", f"{code}\n{check}"], capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, ran.stderr
    return ran.stdout.split()


def test_simulations_are_imported_without_clients_of_the_web() -> None:
    code = "from autosim import Simulation, load_world"
    names = ("numpy", "ssl", "http.client", "urllib.request", "grpc")
    assert loaded_after(code, *names) == ["numpy"]


def test_kernels_run_without_scipys_linear_algebra() -> None:
    code = """
import numpy as np
from autosim.model.angles import directions
directions(np.ones(1), np.ones(1))
"""
    assert loaded_after(code, "numba", "scipy.linalg") == ["numba"]


def test_a_command_is_imported_when_it_is_used() -> None:
    code = """
from autosim.cli import main
main(["ctl", "--help"], standalone_mode=False)
"""
    ran = loaded_after(
        f"import io, sys\nsys.stdout = io.StringIO()\n{code}\nsys.stdout = sys.__stdout__",
        "autosim.cli.remote.ctl",
        "autosim.cli.demo",
        "autosim_testbench",
        "numpy",
    )
    assert ran == ["autosim.cli.remote.ctl"]


def test_each_command_of_the_table_is_there_under_its_name() -> None:
    table = CommandTable(MODULES)
    assert [table[name].name for name in table] == [*MODULES]
