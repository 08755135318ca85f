"""What a client does not need before its first picture it does not import."""

import subprocess
import sys


def test_a_client_draws_without_scipy():
    code = (
        "import sys, autosim.applications.run.run_client, autosim.client.scene.viewer\n"
        "print([name for name in sys.modules if name.partition('.')[0] == 'scipy'])"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert ran.stdout == "[]\n", ran.stderr
