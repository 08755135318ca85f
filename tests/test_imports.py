"""How the modules of the package import each other."""

import graphlib
import subprocess
import sys

import grimp


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
