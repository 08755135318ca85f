"""An ssh server on the loopback interface, with keys of its own in a folder of its own."""

import os
import shutil
import signal
import subprocess
import time
from pathlib import Path

from autosim_testbench.backends.brokers import answers, free_port
from tests.running_processes import children

SERVER = """
Port {port}
ListenAddress 127.0.0.1
HostKey {folder}/host_key
PidFile none
AuthorizedKeysFile {folder}/key.pub
StrictModes no
UsePAM no
PasswordAuthentication no
PermitRootLogin prohibit-password
"""

CLIENT = """
Host *
  IdentityFile {folder}/key
  IdentitiesOnly yes
  UserKnownHostsFile {folder}/known_hosts
  StrictHostKeyChecking yes
"""

PROGRAM = """#!/bin/sh
exec {ssh} -F {folder}/client "$@"
"""


class SshServer:
    """Runs while a test does. `bin` has an ssh that knows its key, to stand first in the PATH.

    Raises:
        FileNotFoundError: no ssh server is installed.
    """

    def __init__(self, folder: Path) -> None:
        program = shutil.which("sshd", path=f"{os.defpath}:/usr/sbin")
        if program is None:
            raise FileNotFoundError("sshd is not installed: sudo apt-get install openssh-server")
        if os.getuid() == 0:
            Path("/run/sshd").mkdir(mode=0o755, exist_ok=True)  # it wants that when it is root
        self.port, self.bin = free_port(), folder / "bin"
        for name in ("host_key", "key"):
            subprocess.run(
                ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(folder / name)],
                check=True,
            )
        host_key = (folder / "host_key.pub").read_text()
        (folder / "known_hosts").write_text(f"[127.0.0.1]:{self.port} {host_key}")
        (folder / "server").write_text(SERVER.format(port=self.port, folder=folder))
        (folder / "client").write_text(CLIENT.format(folder=folder))
        self.bin.mkdir()
        ssh = self.bin / "ssh"
        ssh.write_text(PROGRAM.format(ssh=shutil.which("ssh"), folder=folder))
        ssh.chmod(0o755)
        self._process = subprocess.Popen(
            [program, "-D", "-e", "-f", str(folder / "server")], stderr=subprocess.DEVNULL
        )
        deadline = time.monotonic() + 10.0
        while not answers(self.port):
            assert self._process.poll() is None
            assert time.monotonic() < deadline
            time.sleep(0.02)

    def cut(self) -> None:
        """Ends all connections, as a network that breaks down does."""
        for each in children(self._process.pid):
            os.kill(each, signal.SIGKILL)

    def close(self) -> None:
        """Ends the server, and what it has connected."""
        self.cut()
        self._process.terminate()
        self._process.wait()
