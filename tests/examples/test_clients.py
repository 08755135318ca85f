"""Clients in C++ and Rust, built from `proto/` alone: states, a program in lockstep, a picture."""

import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

from autosim.client.link.credentials import Credentials
from tests.commands import server
from tests.paths import ROOT

CLIENTS = ROOT / "examples" / "clients"
MOST_LINES = 200

CRATES = Path("/usr/share/cargo/registry")
"""Folder into which Debian's packages install crates, the only source of the build."""

ROBOT = """<Robot name="car"><Parts>
<Box name="chassis"><Size x="1.74" y="1.22" z="4.46"/><Mass value="1400"/></Box></Parts><Devices>
<KinematicVehicle name="vehicle" model="IDEAL_STEER_ACC"><Part name="chassis"/></KinematicVehicle>
<Camera name="view"><Part name="chassis"/><Position x="0" y="1" z="2.3"/>
<Resolution width="64" height="48"/></Camera></Devices></Robot>"""

WORLD = """<World name="clients"><Terrain><Map name="yard"><Folder path="worlds/yard"/>
<DrivingSide value="left"/></Map></Terrain><Objects><Robot name="car"><File path="robots/car.xml"/>
<Position x="-40.0" z="-58.0"/><RotY value="1.5708"/></Robot></Objects></World>"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, text in (("robots/car.xml", ROBOT), ("worlds/clients.xml", WORLD)):
        (tmp_path / name).parent.mkdir()
        (tmp_path / name).write_text(text)
    return tmp_path


def built(command: list[str], folder: Path = ROOT) -> None:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture(scope="module")
def cpp(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The client in C++."""
    needed = ("c++", "cmake", "pkg-config", "protoc", "grpc_cpp_plugin")
    if missing := [each for each in needed if shutil.which(each) is None]:
        pytest.skip(f"{missing[0]} is not installed")
    if subprocess.run(["pkg-config", "--exists", "grpc++"], check=False).returncode:
        pytest.skip("libgrpc++-dev is not installed")
    build = tmp_path_factory.mktemp("cpp")
    built(["cmake", "-S", str(CLIENTS / "cpp"), "-B", str(build)])
    built(["cmake", "--build", str(build)])
    return build / "client"


@pytest.fixture(scope="module")
def rust(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The client in Rust, of crates that Debian packages."""
    if missing := [each for each in ("cargo", "protoc") if shutil.which(each) is None]:
        pytest.skip(f"{missing[0]} is not installed")
    needed = ("h2-0.3", "tokio-1.", "prost-0.11", "prost-build-0.11")
    if missing := [each for each in needed if not list(CRATES.glob(f"{each}*"))]:
        pytest.skip(f"the crate {missing[0]} is not in {CRATES}")
    folder = tmp_path_factory.mktemp("rust")
    shutil.copytree(CLIENTS / "rust", folder / "a" / "b" / "c", ignore=_not_built)
    (folder / "proto").symlink_to(ROOT / "proto")
    source = ("source.crates-io.replace-with='debian'", f"source.debian.directory='{CRATES}'")
    options = [word for each in source for word in ("--config", each)]
    built(["cargo", "build", "--offline", *options], folder / "a" / "b" / "c")
    return folder / "a" / "b" / "c" / "target" / "debug" / "client"


def _not_built(folder: str, names: list[str]) -> list[str]:
    return [each for each in names if each in ("target", "Cargo.lock")]


def use(client: Path, folder: Path) -> None:
    """Uses all that a client does, and asserts what it must have seen."""
    command = ["autosim", "server", "worlds/clients.xml", "--headless"]
    with server(command, folder) as environment:
        address = environment["AUTOSIM_SERVER"]
        environment = environment | {"AUTOSIM_TOKEN": Credentials(address).token()}

        def say(*words: object) -> str:
            done = subprocess.run(
                [client, *map(str, words)],
                env=environment,
                capture_output=True,
                text=True,
                timeout=120,
                check=False,
            )
            assert done.returncode == 0, done.stderr
            return done.stdout

        rows = np.loadtxt(say("states", address, "car.chassis", 3).splitlines())
        assert np.ptp(rows[:, 0]) >= 2.0
        assert rows[:, 1:3] == pytest.approx(np.tile([-40.0, -58.0], (3, 1)), abs=0.5)
        values = np.fromstring(
            say("program", address, "car", "chassis.vehicle", 120, 2.0, 0.0, 0.1), sep=" "
        )
        assert values[1:4] == pytest.approx([2.0, 0.0, 0.1]), values
        picture = folder / "view.ppm"
        say("camera", address, "car", "chassis.view", picture)
        head, pixels = picture.read_bytes().split(b"\n", 1)
        assert head == b"P6 64 48 255"
        assert np.frombuffer(pixels, np.uint8).size == 64 * 48 * 3
        assert np.frombuffer(pixels, np.uint8).std() > 5.0
        failed = subprocess.run(
            [client, "states", address, "car.wing", "1"],
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert failed.returncode == 1
        assert failed.stderr == "error: there is no node 'car.wing'\n"


@pytest.mark.parametrize("file", ["cpp/client.cc", "rust/src/main.rs"])
def test_a_client_is_short(file: str) -> None:
    assert len((CLIENTS / file).read_text().splitlines()) < MOST_LINES


@pytest.mark.slow
@pytest.mark.timeout(1200)
def test_a_client_in_cpp(cpp: Path, folder: Path) -> None:
    use(cpp, folder)


@pytest.mark.slow
@pytest.mark.timeout(1200)
def test_a_client_in_rust(rust: Path, folder: Path) -> None:
    use(rust, folder)
