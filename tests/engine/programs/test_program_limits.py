"""What the world's file says of a program holds."""

import os
import shutil
import socket
from dataclasses import replace
from pathlib import Path
from textwrap import dedent

import pytest

from autosim.config.descriptions import ProgramLimits
from autosim.loading.loader import load_world
from autosim.server.process.simulation_process import find_remote_deadlines
from autosim.userprogram.process.sandbox import SandboxError
from tests.userprogram.rig import Toy, closing, write
from tests.worlds import ROOT

CURIOUS = """
    import os, socket
    from pathlib import Path
    from autosim.userprogram import get_data, set_data, wait

    def tries(what):
        try:
            what()
            return "can"
        except OSError:
            return "cannot"

    def main(argv):
        here = Path(__file__).parent
        print("write", tries(lambda: (here / "left.txt").write_text("x")))
        print("connect", tries(lambda: socket.create_connection(("127.0.0.1", int(argv[1])), 1.0)))
        print("processes", len([each for each in os.listdir("/proc") if each.isdigit()]) > 3)
        set_data(f"{argv[0]}.chassis.drive", [0.0, 1.0, 0.0])
        wait(0.1)
        print("psd", round(get_data(f"{argv[0]}.chassis.psd0"), 3))
    """

HANGS = """
    from autosim.userprogram import wait

    def main(argv):
        wait(0.1)
        while True:
            pass
    """

needs_bubblewrap = pytest.mark.skipif(
    shutil.which("bwrap") is None, reason="bubblewrap is not installed"
)


def play(toy: Toy, program: Path, limits: ProgramLimits, *arguments: str, steps: int = 60) -> None:
    participants = toy.processes()
    with closing(participants):
        participants.launch(program, robot="alpha", arguments=arguments, limits=limits)
        toy.run(participants, steps)


@needs_bubblewrap
def test_a_sandbox_takes_part_and_can_do_nothing_else(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
):
    toy = Toy.new()
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = str(server.getsockname()[1])
        program = write(tmp_path, "curious", CURIOUS)
        play(toy, program, ProgramLimits(isolation="sandbox"), port)
    assert toy.reasons() == {"curious": "main returned"}
    assert capfd.readouterr().out.splitlines() == [
        "write cannot",
        "connect cannot",
        "processes False",
        "psd 0.1",
    ]


@needs_bubblewrap
def test_a_sandbox_that_hangs_is_ended(tmp_path: Path):
    toy = Toy.new()
    limits = ProgramLimits(isolation="sandbox", deadline=0.3)
    play(toy, write(tmp_path, "hangs", HANGS), limits)
    assert toy.reasons()["hangs"].startswith("did not reach its next wait() within 0.3 s")


def test_without_bubblewrap_nothing_runs_that_asks_for_it(tmp_path: Path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    program = write(tmp_path, "any", "def main(argv): pass")
    limits = ProgramLimits(isolation="sandbox")
    toy = Toy.new()
    participants = toy.processes()
    with closing(participants), pytest.raises(SandboxError, match="needs bubblewrap"):
        participants.launch(program, robot="alpha", limits=limits)
    threads = toy.threads()
    with closing(threads), pytest.raises(SandboxError, match="use a server"):
        threads.launch(program, robot="alpha", limits=limits)


def test_a_trusted_program_runs_in_a_thread_with_the_same_bytes(tmp_path: Path):
    source = """
        import os
        from autosim.userprogram import get_time, set_data, wait

        def main(argv):
            assert (os.getpid() == int(argv[1])) == (argv[2] == "thread")
            for _ in range(5):
                set_data(f"{argv[0]}.chassis.drive", [get_time(), 1.0, 0.0])
                wait(0.02)
        """
    runs = []
    for isolation in ("thread", "process"):
        toy = Toy.new()
        program = write(tmp_path, "trusted", source)
        play(toy, program, ProgramLimits(isolation=isolation), str(os.getpid()), isolation)
        assert toy.reasons() == {"trusted": "main returned"}
        runs.append(toy.states)
    assert runs[0] == runs[1]


def test_each_program_has_its_own_deadline(tmp_path: Path):
    toy = Toy.new()
    play(toy, write(tmp_path, "hangs", HANGS), ProgramLimits(deadline=0.25))
    said = (
        'did not reach its next wait() within 0.25 s (deadline="3" in the world file allows more)'
    )
    assert toy.reasons() == {"hangs": said}


def test_programs_elsewhere_have_the_deadline_of_a_robot_whose_program_belongs_there():
    world = load_world(ROOT / "worlds" / "circle_town.xml")
    placed, patient = world.robots[0], ProgramLimits(deadline=30.0)
    world = replace(
        world,
        robots=(
            replace(placed, name="here", program_side="server", program_limits=patient),
            replace(placed, name="there", program_side="client", program_limits=patient),
            replace(placed, name="bare", program=None, program_limits=ProgramLimits()),
        ),
    )
    assert find_remote_deadlines(world) == {"there": 30.0}


def test_the_world_file_says_what_a_program_may_do(tmp_path: Path):
    text = dedent((ROOT / "worlds" / "circle_town.xml").read_text())
    limits = 'side="server" isolation="sandbox" deadline="0.5" memory="512" restart="true"'
    file = tmp_path / "world.xml"
    file.write_text(text.replace('side="server"/>', f"{limits}/>"))
    robot = load_world(file).robots[0]
    assert robot.program_limits == ProgramLimits(0.5, 512 << 20, "sandbox", True)
    shipped = load_world(ROOT / "worlds" / "circle_town.xml").robots[0]
    assert shipped.program_limits == ProgramLimits(deadline=2.0)
