"""What a program has started ends with it."""

from pathlib import Path

import pytest

from tests.userprogram.rig import Toy, closing, write

PARENT = """
    import os, subprocess, sys
    from pathlib import Path
    from autosim.userprogram import wait

    LAST = "import os, time; print(os.getpid(), flush=True); time.sleep(1000)"
    MIDDLE = (
        "import subprocess, sys;"
        f"subprocess.Popen([sys.executable, '-c', {LAST!r}], start_new_session=True)"
    )

    def main(argv):
        if argv[1] == "daemon":
            command = [sys.executable, "-c", MIDDLE]
        else:
            command = [sys.executable, "-c", LAST]
        child = subprocess.Popen(command, stdout=subprocess.PIPE, start_new_session=True)
        Path(argv[2]).write_bytes(child.stdout.readline())
        wait(0.01)
        if argv[3] == "crash":
            os.abort()
    """


def lives(pid: int) -> bool:
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return False
    return stat.rsplit(")", 1)[1].split()[0] != "Z"


@pytest.mark.parametrize("kind", ["child", "daemon"])
@pytest.mark.parametrize("end", ["return", "crash"])
def test_children_in_sessions_of_their_own_end_with_the_program(
    tmp_path: Path, kind: str, end: str
):
    program = write(tmp_path, "parent", PARENT)
    told = tmp_path / "pid"
    toy = Toy.new()
    participants = toy.processes()
    with closing(participants):
        participants.launch(program, robot="alpha", arguments=(kind, str(told), end))
        toy.run(participants, 1)
        assert lives(int(told.read_text()))
        toy.run(participants, 5)
    assert "parent" in toy.reasons()
    assert not lives(int(told.read_text()))
