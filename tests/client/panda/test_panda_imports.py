"""Importing Panda3D, which bears no interruption."""

import signal
import subprocess
import sys

INTERRUPTED = """
import os, signal, sys

class Interrupting:
    def find_spec(self, name, path=None, target=None):
        if name == "panda3d.core":
            os.kill(os.getpid(), signal.SIGINT)
            print("goes on", flush=True)

sys.meta_path.insert(0, Interrupting())
import autosim.client.panda.panda_imports
print("came through")
"""


def test_an_interrupt_waits_until_panda3d_is_complete():
    ran = subprocess.run([sys.executable, "-c", INTERRUPTED], capture_output=True, text=True)
    assert ran.stdout == "goes on\n"
    assert "KeyboardInterrupt" in ran.stderr
    assert ran.returncode == -signal.SIGINT
