"""Modules that start forked behave as those that a new interpreter runs."""

import json
import os
import resource
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from autosim.helper_processes.fork_server import (
    ForkServer,
    is_module_command,
    start_from_fork_server,
    use_fork_server,
)
from tests.paths import ROOT
from tests.running_processes import is_fork_server

SUBJECT = """
import json, os, resource, signal, sys, threading, time

def told():
    return {
        "parent": os.getppid(),
        "leads a session": os.getsid(0) == os.getpid(),
        "arguments": sys.argv[1:],
        "file": sys.argv[0],
        "main": sys.modules["__main__"].__spec__.name,
        "folder": os.getcwd(),
        "mark": os.environ.get("AUTOSIM_PROGRAM"),
        "shown mark": b"AUTOSIM_PROGRAM=abc" in open("/proc/self/environ", "rb").read(),
        "files": sorted(os.listdir("/proc/self/fd")),
        "most files": resource.getrlimit(resource.RLIMIT_NOFILE)[0],
        "interrupt": signal.getsignal(signal.SIGINT) is signal.default_int_handler,
        "blocked": sorted(map(int, signal.pthread_sigmask(signal.SIG_BLOCK, ()))),
        "name": open("/proc/self/comm").read(),
        "is main thread": threading.get_native_id() == os.getpid(),
        "input": sys.stdin.read(),
    }

if __name__ == "__main__":
    match sys.argv[1:]:
        case ["fail"]:
            raise ValueError("as ordered")
        case ["exit", code]:
            sys.exit(int(code))
        case ["say", text]:
            sys.exit(text)
        case ["sleep"]:
            print("asleep", flush=True)
            time.sleep(600)
        case _:
            import atexit
            atexit.register(print, "at the end")
            threading.Thread(target=lambda: (time.sleep(0.1), print("from a thread"))).start()
            print(json.dumps(told()))
"""

ENVIRONMENT = {"AUTOSIM_PROGRAM": "abc"}


@dataclass(frozen=True)
class Starter:
    """Starts the subject, in a new interpreter or in a copy of `server`."""

    folder: Path
    server: ForkServer | None

    def start(self, *arguments, output, errors):
        """The id of a process that runs the subject."""
        command = [sys.executable, "-P", "-m", "subject", *arguments]
        environment = {**os.environ, **ENVIRONMENT, "PYTHONPATH": f"{self.folder}:{ROOT}"}
        nothing = os.open(os.devnull, os.O_RDONLY)
        if self.server is None:
            process = subprocess.Popen(
                command,
                stdin=nothing,
                stdout=output,
                stderr=errors,
                env=environment,
                cwd=self.folder,
                start_new_session=True,
            )
            process.returncode = 0  # the test waits for it
            pid = process.pid
        else:
            pid = self.server.fork(
                command,
                files={0: nothing, 1: output, 2: errors},
                environment=environment,
                folder=str(self.folder),
                has_own_session=True,
            )
        os.close(nothing)
        return pid

    def run(self, *arguments):
        """Its exit code, output and errors."""
        texts = []
        output, errors = (os.memfd_create(name) for name in ("output", "errors"))
        pid = self.start(*arguments, output=output, errors=errors)
        code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        for file in (output, errors):
            os.lseek(file, 0, os.SEEK_SET)
            with open(file) as stream:
                texts.append(stream.read())
        return code, *texts


@contextmanager
def serving(folder):
    environment = {**os.environ, "PYTHONPATH": f"{folder}:{ROOT}"}
    server = ForkServer.started(("json", "threading"), environment)
    if server is None:
        pytest.skip("no fork server on this kind of machine")
    yield server
    server.close()


def test_a_fork_server_outlives_the_thread_that_started_it(tmp_path):
    (tmp_path / "subject.py").write_text(SUBJECT)
    with ThreadPoolExecutor(1) as thread, ExitStack() as opened:
        server = thread.submit(lambda: opened.enter_context(serving(tmp_path))).result()
        starter = Starter(tmp_path, server)
        assert starter.run("exit", "7")[0] == 7
        thread.shutdown()
        assert starter.run("exit", "7")[0] == 7
        assert not server.is_closed


@pytest.fixture(scope="module")
def starters(tmp_path_factory):
    """One that starts new interpreters, and one that forks."""
    folder = tmp_path_factory.mktemp("modules")
    (folder / "subject.py").write_text(SUBJECT)
    with serving(folder) as server:
        yield Starter(folder, None), Starter(folder, server)


def test_a_forked_module_finds_what_a_new_interpreter_gives_it(starters):
    cold, forked = (each.run("a", "b c") for each in starters)
    assert forked == cold
    told = json.loads(forked[1].splitlines()[0])
    assert told["parent"] == os.getpid()
    assert told["arguments"] == ["a", "b c"]
    assert told["mark"] == "abc"
    assert told["shown mark"]
    assert told["files"] == ["0", "1", "2", "3"]  # the last one is that of the listing
    assert forked[1].splitlines()[1:] == ["from a thread", "at the end"]


@pytest.mark.parametrize(
    ("arguments", "code", "last"),
    [(("exit", "7"), 7, ""), (("say", "no"), 1, "no"), (("fail",), 1, "ValueError: as ordered")],
)
def test_a_forked_module_ends_as_in_a_new_interpreter(starters, arguments, code, last):
    for starter in starters:
        ended, output, errors = starter.run(*arguments)
        assert (ended, output) == (code, "")
        assert errors.rstrip("\n").rpartition("\n")[2] == last


def test_limits_are_those_of_the_process_that_orders(starters):
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (200, before[1]))
        ended = [each.run() for each in starters]
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)
    assert [json.loads(each[1].splitlines()[0])["most files"] for each in ended] == [200, 200]


def test_signals_are_blocked_as_in_the_thread_that_orders(tmp_path):
    (tmp_path / "subject.py").write_text(SUBJECT)
    # `start_python` starts the first fork server of a process while SIGINT is blocked.
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        with serving(tmp_path) as server:
            starter, blocked = Starter(tmp_path, server), []
            for mask in ({signal.SIGINT}, set()):
                signal.pthread_sigmask(signal.SIG_SETMASK, mask)
                blocked.append(json.loads(starter.run()[1].splitlines()[0])["blocked"])
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
    assert blocked == [[signal.SIGINT], []]


def test_a_forked_process_is_a_child_that_can_be_killed(starters):
    _, forked = starters
    heard, output = os.pipe()
    pid = forked.start("sleep", output=output, errors=output)
    os.close(output)
    assert os.read(heard, 100) == b"asleep\n"
    os.kill(pid, signal.SIGKILL)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == -signal.SIGKILL
    assert os.read(heard, 100) == b""  # nothing else holds its output open
    os.close(heard)


def test_another_beginning_needs_a_new_interpreter(starters):
    folder, server = starters[1].folder, starters[1].server
    for other in ({"PYTHONHASHSEED": "7"}, {"PYTHONPATH": "/elsewhere"}):
        environment = {**os.environ, "PYTHONPATH": f"{folder}:{ROOT}", **other}
        command = [sys.executable, "-P", "-m", "subject"]
        files = {number: number for number in range(3)}
        pid = server.fork(command, files=files, environment=environment, has_own_session=True)
        assert pid is None


def test_a_fork_server_that_is_gone_is_not_asked(tmp_path):
    (tmp_path / "subject.py").write_text(SUBJECT)
    with serving(tmp_path) as server:
        assert Starter(tmp_path, server).run("exit", "3")[0] == 3
        assert is_fork_server(server.pid)
        os.kill(server.pid, signal.SIGKILL)
        nothing = os.open(os.devnull, os.O_RDWR)
        assert Starter(tmp_path, server).start(output=nothing, errors=nothing) is None
        os.close(nothing)


OWNER = """
import os, sys
from autosim.helper_processes.fork_server import (
    ForkServer,
    is_module_command,
    start_from_fork_server,
    use_fork_server,
)
server = ForkServer.forked()
print(server.pid, flush=True)
os.kill(os.getpid(), 9)
"""


def test_a_fork_server_ends_with_its_process():
    said = subprocess.run([sys.executable, "-c", OWNER], stdout=subprocess.PIPE, text=True).stdout
    while is_fork_server(int(said)):
        time.sleep(0.01)


PYTHON = sys.executable


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ([PYTHON, "-m", "autosim"], True),
        ([PYTHON, "-P", "-m", "autosim.cli", "demo"], True),
        ((PYTHON, "-m", "json.tool"), False),
        ([PYTHON, "-m", "autosimilar"], False),
        ([PYTHON, "-P", "-m"], False),
        (["python-of-others", "-m", "autosim"], False),
        (f"{PYTHON} -m autosim", False),
    ],
)
def test_commands_of_autosim_are_recognized(command, expected):
    assert is_module_command(command) is expected


class Unused(ForkServer):
    """A fork server from which nothing may be forked."""

    def __init__(self):
        pass

    def fork(self, command, **how):
        raise AssertionError(command, how)

    def close(self):
        pass


class Process(subprocess.Popen):
    """A child that is forked where there is a fork server."""

    def _execute_child(self, *given):
        start_from_fork_server(self, *given)


@contextmanager
def unused():
    """Inside, this process has a fork server from which nothing may be forked."""
    use_fork_server(Unused())
    try:
        yield [PYTHON, "-m", "autosim.helper_processes.process_activity"]
    finally:
        use_fork_server(None)


@pytest.mark.parametrize("how", [{"process_group": 0}, {"close_fds": False}])
def test_what_a_forked_process_would_ignore_needs_a_new_interpreter(how):
    with unused() as command, Process(command, cwd=ROOT, **how) as process:
        assert process.wait() == 0


def test_a_usual_start_is_forked():
    with unused() as command, pytest.raises(AssertionError, match="process_activity"):
        Process(command, cwd=ROOT)
