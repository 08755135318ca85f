"""What the process that prepares a world tells of it."""

from pathlib import Path
from typing import Any

from autosim.loading.loader import load_world
from autosim.loading.world_worker import PreparationDone, PrepareOrder, prepare
from tests.worlds import ROOT


class Told(list[Any]):
    """A control socket's end: keeps what is sent."""

    def send(self, message: object) -> None:
        self.append(message)


def test_the_warnings_on_a_fetched_world_are_for_the_people_of_its_server(tmp_path: Path):
    file = tmp_path / "yard.xml"
    text = (ROOT / "worlds" / "yard.xml").read_text()
    file.write_text(text.replace("wall_follower.py", "left_at_home.py"))
    robots = {each.name: each.robot for each in load_world(file).robots}
    warnings = []
    for its_robots in (None, robots):
        told = Told()
        prepare(PrepareOrder(str(file), has_picture=False, told=its_robots), told)  # type: ignore[arg-type]
        assert isinstance(told[-1], PreparationDone)
        warnings.append(told[-1].warnings)
    (own,), fetched = warnings
    assert "left_at_home.py" in own.message
    assert fetched == ()
