"""The commands of the README run, in its order, from a folder with what a checkout has."""

import os
import pty
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import osmium
import pytest

from autosim.client.link.mirror import Mirror
from autosim.client.link.served_world import fetch_description
from tests.paths import ROOT

README = (ROOT / "README.md").read_text()
BLOCKS = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
START = [
    line.split("#")[0].strip() for line in re.findall(r"^    (autosim .*)$", README, re.MULTILINE)
]
FIRST = re.findall(r"`(autosim [^`]*)`", README.split("## Your first user program")[1])[:2]
MAP = """\
<osm version="0.6">
  <node id="1" lat="48.0" lon="11.0"/><node id="2" lat="48.0" lon="11.003"/>
  <node id="3" lat="48.001" lon="11.003"/>
  <way id="4"><nd ref="1"/><nd ref="2"/><nd ref="3"/><tag k="highway" v="residential"/></way>
</osm>
"""
SHORTER = {"demo": " --seconds 1", "server": " --port 0"}
"""What these commands get here besides what the README says: a shorter run, and a port of the
system's choice. The other commands hear of that port as users tell them, by $AUTOSIM_SERVER."""

W_DOWN = b"\x1b[?11u\x1b[119;1:1u"
"""A terminal that tells when keys are let go, and W going down."""


class Reader:
    """One who types what the README says, in a folder that has what a checkout has.

    Lasting commands run until the end, each in a terminal of its own.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.environment = os.environ | {"PYTHONPATH": str(ROOT)}
        for screen in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"):
            self.environment.pop(screen, None)
        self.lasting: list[subprocess.Popen[str]] = []
        self.logs: list[IO[str]] = []
        for name in ("worlds", "robots"):
            (folder / name).symlink_to(ROOT / name)
        (folder / "userprograms").mkdir()

    def start(self, line: str, **streams: int | IO[str]) -> subprocess.Popen[str]:
        """Starts a line as a shell would."""
        words = line.split(maxsplit=2)
        ours = f"exec {sys.executable} -m autosim {' '.join(words[1:])}{SHORTER.get(words[1], '')}"
        return subprocess.Popen(
            ["sh", "-c", ours],
            cwd=self.folder,
            env=self.environment,
            text=True,
            **({"stdout": subprocess.PIPE, "stderr": subprocess.PIPE} | streams),
        )

    def run(self, line: str) -> str:
        """Runs a line to its end; what it prints."""
        out, said = (process := self.start(line)).communicate()
        assert process.returncode == 0, f"{line}: {said}"
        return out

    def stay(self, line: str) -> subprocess.Popen[str]:
        """Starts one that lasts; a server is there when this returns."""
        log = open(self.folder / f"{line.split()[1]}.log", "w+")  # noqa: SIM115 - closed in `end`
        process = self.start(line, stdout=log, stderr=log)
        self.lasting.append(process)
        self.logs.append(log)
        return process

    def serve(self, line: str) -> None:
        """Starts the server, and lets the other commands know where it is."""
        process = self.stay(line)
        found = None
        while found is None:
            assert process.poll() is None
            time.sleep(0.02)
            text = Path(self.logs[-1].name).read_text()
            found = re.search(r"^serving .* at (\S+);", text, re.MULTILINE)
        self.environment["AUTOSIM_SERVER"] = found[1]

    def end(self) -> None:
        """Ctrl-C in all terminals, the last one first."""
        for process in reversed(self.lasting):
            process.send_signal(signal.SIGINT)
            process.wait(60)
        for log in self.logs:
            log.close()


@contextmanager
def reader_in(folder: Path) -> Iterator[Reader]:
    reader = Reader(folder)
    try:
        yield reader
    finally:
        reader.end()


def write_extract(folder: Path) -> None:
    """A small map, with the name of the large one that the README takes."""
    (folder / "small.osm").write_text(MAP)
    with osmium.SimpleWriter(str(folder / "helsinki.osm.pbf")) as writer:
        for each in osmium.FileProcessor(str(folder / "small.osm")):
            writer.add(each)


def wait_for(reader: Reader, condition: Callable[[Mirror], bool]) -> None:
    """Waits until the newest state fulfils a condition."""
    address = reader.environment["AUTOSIM_SERVER"]
    with Mirror(fetch_description(address), address, rate_hz=20.0) as mirror:
        mirror.connection.wait_for_state()
        while not condition(mirror):
            mirror.connection.wait_until(lambda: mirror.has_news, 1.0)
            mirror.take()


def has_acceleration(mirror: Mirror, value: float) -> bool:
    node = mirror.tree.find("impreza.chassis.drive_chassis")
    assert node is not None
    return bool(mirror.state.value(node, node.fields[1]) == value)


def drive(reader: Reader, line: str) -> None:
    """At a terminal: Y to the question, W held until the car obeys, then Q."""
    ours, theirs = pty.openpty()
    with reader.start(line, stdin=theirs, stdout=theirs) as process:
        os.close(theirs)
        assert process.stderr is not None
        asked = ""
        while not asked.endswith("[Y/n]"):
            letter = process.stderr.read(1)
            assert letter, asked
            asked += letter
        assert asked.startswith("'impreza' is driven by userprograms/driver.py; take over?")
        os.write(ours, b"y\n" + W_DOWN)
        wait_for(reader, lambda mirror: has_acceleration(mirror, 1.0))
        os.write(ours, b"q")
        said = process.stderr.read()
        assert process.wait(60) == 0, said
    os.close(ours)
    assert "returned 'impreza' to userprograms/driver.py" in said


def watch(reader: Reader, line: str) -> None:
    """Until a value has come, then Ctrl-C."""
    with reader.start(line) as process:
        assert process.stdout is not None
        assert "$GPRMC" in process.stdout.readline()
        process.send_signal(signal.SIGINT)
        process.communicate()


@pytest.mark.slow
def test_the_start_runs_in_its_order(tmp_path: Path):
    pytest.importorskip("panda3d")
    write_extract(tmp_path)
    special = {"server": Reader.serve, "client": Reader.stay, "drive": drive, "ctl": watch}
    assert [line.split()[1] for line in START] == (
        ["demo", "server", "client", "drive", "ctl", "world", "check", "new"]
    )
    with reader_in(tmp_path) as reader:
        for line in START:
            special.get(line.split()[1], Reader.run)(reader, line)
        assert [each.poll() for each in reader.lasting] == [None, None]
    assert (tmp_path / "out" / "demo" / "summary.json").exists()
    assert (tmp_path / "my_project" / "worlds").is_dir()


def test_the_first_user_program_runs_as_the_readme_says(tmp_path: Path):
    server, run = FIRST
    with reader_in(tmp_path) as reader:
        (tmp_path / "userprograms" / "first.py").write_text(BLOCKS[0])
        reader.serve(server)
        with reader.start(run) as process:
            # How far it is to the next house depends on the noise; that it brakes there, see below.
            wait_for(reader, lambda mirror: has_acceleration(mirror, 0.4))
            assert process.poll() is None
            process.send_signal(signal.SIGINT)
            _, said = process.communicate()
    assert "Traceback" not in said
