"""A simulation starts soon: what it does not need it does not import."""

import subprocess
import sys


def test_a_simulation_without_traffic_needs_no_graphs_nor_trees():
    """SciPy's take a third of the time of all imports."""
    code = (
        "import sys, autosim.engine.step.simulation\n"
        "print([name for name in ('scipy.sparse', 'scipy.spatial') if name in sys.modules])"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert ran.stdout == "[]\n", ran.stderr
