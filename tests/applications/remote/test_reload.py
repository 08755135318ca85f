"""`autosim run --reload`: the program is edited while it drives."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from autosim.applications.remote.reload import ProgramWatch
from tests.applications.serving import Shell, light_server
from tests.userprogram.rig import write

DRIVER = """
    from autosim.userprogram import set_data, wait
    import habits

    def main(argv):
        print(habits.WORD, {push}, *argv[1:], flush=True)
        while True:
            set_data(f"{{argv[0]}}.box.drive", [0.0, {push}, 0.0])
            wait(0.1)
    """


@contextmanager
def reloading(address: str, program: Path) -> Iterator["subprocess.Popen[str]"]:
    command = [sys.executable, "-m", "autosim", "run", str(program), "--server", address]
    with subprocess.Popen(
        [*command, "--reload", "--", "fast"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def test_an_edited_program_takes_over_and_one_with_a_fault_does_not(tmp_path: Path):
    write(tmp_path, "habits", 'WORD = "push"\n')
    program = write(tmp_path, "driver", DRIVER.format(push=0.1))
    with (
        light_server(real_time_factor=1.0) as server,
        reloading(server.address, program) as process,
    ):
        assert process.stdout is not None
        assert process.stderr is not None
        told = (line for line in iter(process.stderr.readline, "") if line.strip())
        shell = Shell(server.address)
        assert process.stdout.readline() == "push 0.1 fast\n"
        write(tmp_path, "driver", DRIVER.format(push=0.2))
        assert process.stdout.readline() == "push 0.2 fast\n"
        assert next(told) == "driver.py changed: restarting driver.py\n"
        write(tmp_path, "driver", "\ndef main(argv:\n")
        fault = next(told)
        assert fault.startswith(f"{program}:2: error: ")
        assert fault.endswith("; the previous version keeps running\n")
        write(tmp_path, "habits", 'WORD = "shove"\n')
        write(tmp_path, "driver", DRIVER.format(push=0.2))
        assert process.stdout.readline() == "shove 0.2 fast\n"
        assert "restarting" in next(told)
        while shell.record("ctl", "status")["programs"] != 1:
            pass  # the first one is not counted any more, soon after it has left
        write(tmp_path, "driver", "def main(argv):\n    1 / 0\n")
        assert next(told) == "driver.py changed: restarting driver.py\n"
        assert "ZeroDivisionError" in next(told)
        write(tmp_path, "driver", DRIVER.format(push=0.3))
        assert process.stdout.readline() == "shove 0.3 fast\n"


def test_a_change_counts_when_it_is_written_to_the_end(tmp_path: Path):
    file = tmp_path / "program.py"
    file.write_text("one")
    watch = ProgramWatch(file)
    assert not watch.look()
    file.write_text("")
    assert not watch.look()
    file.write_text("two")
    assert not watch.look()
    assert watch.look() == (file,)
    assert not watch.look()
    file.unlink()
    assert not watch.look()
    file.write_text("two")
    assert [watch.look(), watch.look()] == [(), ()]


def test_the_fault_is_told_with_its_line(tmp_path: Path):
    file = tmp_path / "program.py"
    file.write_text("x = 1\ny = (\n")
    assert ProgramWatch(file).find_fault() == f"{file}:2: error: '(' was never closed"
    file.write_bytes(b"\0")
    assert ProgramWatch(file).find_fault().startswith(f"{file}:1: error: ")
    file.write_text("x = 1")
    assert ProgramWatch(file).find_fault() == ""


def test_modules_from_the_programs_own_folder_are_watched_too(tmp_path: Path):
    package = tmp_path / "tools"
    package.mkdir()
    files = {
        "program.py": "import json, helper\nfrom tools import wheel\n",
        "helper.py": "def late():\n    import tools.brake as brake\n",
        "tools/__init__.py": "",
        "tools/wheel.py": "from . import rim\nfrom ..tools.hub import Hub\n",
        "tools/rim.py": "",
        "tools/hub.py": "Hub = 1\n",
        "tools/brake.py": "",
        "stranger.py": "",
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    watch = ProgramWatch(tmp_path / "program.py")
    found = {file.relative_to(tmp_path).as_posix() for file in watch.files if file.exists()}
    assert found == files.keys() - {"stranger.py"}
    (package / "hub.py").write_text("import stranger\n")
    assert [watch.look(), watch.look(), watch.look()] == [(), (package / "hub.py",), ()]
    assert tmp_path / "stranger.py" in watch.files
    (package / "rim.py").write_text("def (")
    watch.look()
    assert watch.look()
    assert watch.find_fault().startswith(f"{package / 'rim.py'}:1: error: ")


def test_a_module_that_was_missing_is_noticed_when_it_comes(tmp_path: Path):
    program = tmp_path / "program.py"
    program.write_text("import helper\n")
    watch = ProgramWatch(program)
    assert not watch.look()
    (tmp_path / "helper.py").write_text("")
    watch.look()
    assert watch.look() == (tmp_path / "helper.py",)
