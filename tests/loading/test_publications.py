"""What a world file may declare that programs publish."""

from dataclasses import replace
from pathlib import Path

import pytest

from autosim.config.descriptions import Publication, PublishedColumn
from autosim.loading.checker import check_file
from autosim.loading.loader import load_world
from tests.config.samples import WORLD, write_world
from tests.loading.round_trip import written_and_read

PLAN = """\
<Publication name="plan" capacity="40" drawn="line" frame="part">
  <Column name="x" unit="m"/><Column name="y" unit="m"/><Column name="cost"/>
</Publication>
"""


def with_publication(text: str) -> str:
    return WORLD.replace("</Robot>", f"{text}</Robot>", 1)


def test_a_publication_is_read_and_written_with_its_robot(tmp_path: Path):
    world = load_world(write_world(tmp_path, with_publication(PLAN)))
    columns = (PublishedColumn("x", "m"), PublishedColumn("y", "m"), PublishedColumn("cost"))
    declared = Publication("plan", columns, 40, "line", "part")
    assert world.robots[0].robot.publications == (declared,)
    assert world.robots[1].robot.publications == ()
    again = written_and_read(replace(world, robots=world.robots[:1]), tmp_path)
    assert again.robots[0].robot.publications == (declared,)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (PLAN.replace('"plan"', '"chassis"'), "has the name of a part or link"),
        (PLAN + PLAN, "there is already a 'plan'"),
        (PLAN.replace('"40"', '"4000"'), "4000 rows of 3 columns: expected at most 4096 numbers"),
        (PLAN.replace('"x"', '"u"'), "is drawn: expected a column 'x'"),
        (PLAN.replace('"y" unit="m"', '"y" unit="rad"'), 'expected unit="m" of its column'),
        (PLAN.replace('"line"', '"arrows"'), "'no' or 'points' or 'line', not"),
        (PLAN.replace('name="cost"', 'name="x"'), "there is already a 'x'"),
    ],
)
def test_what_cannot_be_published_is_said(tmp_path: Path, text: str, reason: str):
    said = check_file(write_world(tmp_path, with_publication(text)))
    assert any(reason in each.message for each in said), said
