"""Records from elsewhere: no code of them runs, and nothing of them leads out of its folder."""

from pathlib import Path

import pytest

from autosim.applications.records.recorded_world import recorded_world
from autosim.config.diagnostics import ConfigError
from autosim.kinds.director import build_tree
from autosim.loading.loader import load_world
from autosim.records.record_file import Record
from autosim.records.record_format import RecordError
from tests.kinds.plugins import write_thruster
from tests.records.forged import forge, write_record
from tests.worlds import ROOT

MARKER = "open({file!r}, 'w').close()\n"
WORLD = """
<World name="harbour">
  <Terrain><Map><Folder path="worlds/circle_town"/></Map></Terrain>
  <Objects><Robot name="boat"><File path="robots/bow_thruster.xml"/></Robot></Objects>
</World>
"""


@pytest.fixture(scope="module")
def record(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The record of a shipped world."""
    world = load_world(ROOT / "worlds" / "circle_town.xml")
    return write_record(tmp_path_factory.mktemp("record") / "run.mcap", world)


@pytest.fixture
def harbour(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The record of a world whose robot has a device of a plug-in, in a project of the user."""
    write_thruster(tmp_path)
    (tmp_path / "worlds").mkdir()
    (tmp_path / "worlds" / "harbour.xml").write_text(WORLD)
    monkeypatch.setenv("AUTOSIM_PATH", str(tmp_path))
    world = load_world(tmp_path / "worlds" / "harbour.xml")
    return write_record(tmp_path / "run.mcap", world)


@pytest.mark.parametrize("is_simulated", [True, False])
def test_ones_own_record_opens(record: Path, is_simulated: bool):
    with recorded_world(record, is_simulated=is_simulated) as world, Record(record) as opened:
        assert build_tree(world).digest == opened.about.layout_digest
        assert not list(world.source.parent.rglob("*.py"))
        assert [name for name, _ in opened.about.programs] == ["userprograms/driver.py"]


@pytest.mark.parametrize("is_simulated", [True, False])
@pytest.mark.parametrize(
    "name",
    [
        "plugins/x.py",
        "userprograms/x.py",
        "UserPrograms/x.xml",
        "plugins/x.PY",
        "x.so",
        "x.pkl",
        "x.bam",
        "x.xml.py",
        "x",
        "robots/.xml",
        "x.xml\n",
    ],
)
def test_files_that_are_not_data_are_refused(
    record: Path, tmp_path: Path, name: str, is_simulated: bool
):
    path = forge(record, tmp_path / "forged.mcap", added={f"files/{name}": b"1"})
    with (
        pytest.raises(RecordError, match=r"forged\.mcap: was altered: it holds"),
        recorded_world(path, is_simulated=is_simulated),
    ):
        pass


@pytest.mark.parametrize(
    "name", ["../x.xml", "/tmp/x.xml", "a/../../x.xml", "C:x.xml", "a\\x.xml", "~/x.xml", ""]
)
def test_names_that_lead_out_of_the_folder_are_refused(record: Path, tmp_path: Path, name: str):
    path = forge(record, tmp_path / "forged.mcap", added={f"files/{name}": b"1"})
    with pytest.raises(RecordError, match=r"forged\.mcap"), recorded_world(path):
        pass


@pytest.mark.parametrize(
    "name", ["a" * 300 + ".xml", "robots/impreza.xml", "robots/impreza.xml/a.xml"]
)
def test_a_file_that_cannot_be_unpacked_is_named(record: Path, tmp_path: Path, name: str):
    path = forge(record, tmp_path / "forged.mcap", added={f"files/{name}": b"<Robot/>"})
    with pytest.raises(RecordError, match=r"cannot unpack its file|twice"), recorded_world(path):
        pass


def test_attachments_of_other_programs_are_left_alone(record: Path, tmp_path: Path):
    path = forge(record, tmp_path / "forged.mcap", added={"plugins/x.py": b"1"})
    with recorded_world(path) as world:
        assert not list(world.source.parent.rglob("*.py"))


def test_a_robot_file_in_a_record_runs_no_file_of_the_user_that_the_run_did_not_have(
    record: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    marker = tmp_path / "ran"
    (tmp_path / "tool.py").write_text(MARKER.format(file=str(marker)))
    monkeypatch.setenv("AUTOSIM_PATH", str(tmp_path))
    with Record(record) as opened:
        robot = opened.files["robots/impreza.xml"]
    head, _, rest = robot.partition(b"<Parts>")
    forged = head + b'<Plugin file="tool.py"/><Parts>' + rest
    path = forge(
        record,
        tmp_path / "forged.mcap",
        left_out=("files/robots/impreza.xml",),
        added={"files/robots/impreza.xml": forged},
    )
    for is_simulated in (True, False):
        with pytest.raises(RecordError), recorded_world(path, is_simulated=is_simulated):
            pass
    assert not marker.exists()


def test_plug_ins_run_from_ones_own_folders(harbour: Path):
    with recorded_world(harbour) as world:
        assert type(world.robots[0].robot.devices[0]).__name__ == "BowThruster"


def test_showing_a_record_runs_no_plug_in(harbour: Path, tmp_path: Path):
    marker = tmp_path / "ran"
    (tmp_path / "plugins" / "bow_thruster.py").write_text(MARKER.format(file=str(marker)))
    with recorded_world(harbour, is_simulated=False) as world, Record(harbour) as opened:
        assert build_tree(world).digest == opened.about.layout_digest
    assert not marker.exists()


def test_a_plug_in_that_has_changed_since_is_named_and_not_run(harbour: Path, tmp_path: Path):
    marker = tmp_path / "ran"
    (tmp_path / "plugins" / "bow_thruster.py").write_text(MARKER.format(file=str(marker)))
    words = r"plug-in 'plugins/bow_thruster\.py' of this machine has the version .*: put that"
    with pytest.raises(ConfigError, match=words), recorded_world(harbour):
        pass
    assert not marker.exists()


def test_a_plug_in_that_is_missing_is_named(harbour: Path, tmp_path: Path):
    (tmp_path / "plugins" / "bow_thruster.py").unlink()
    with pytest.raises(ConfigError, match="put it there yourself"), recorded_world(harbour):
        pass
