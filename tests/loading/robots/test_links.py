"""What a robot file may say of links on which parts hang."""

from pathlib import Path

import pytest

from autosim.config.diagnostics import ConfigError
from autosim.loading.loader import load_robot
from tests.server.linked_robots import box, link

PARTS = box("a") + box("b", at=(0.0, 1.0, 0.0)) + box("c", at=(0.0, 2.0, 0.0))
AB = link("RevoluteLink", "ab", parent="a", child="b")
BC = link("PrismaticLink", "bc", parent="b", child="c")


def faults_of(folder: Path, parts: str) -> str:
    path = folder / "robot.xml"
    path.write_text(f'<Robot name="r"><Parts>{parts}</Parts></Robot>', encoding="utf-8")
    with pytest.raises(ConfigError) as caught:
        load_robot(path)
    return str(caught.value)


@pytest.mark.parametrize(
    ("links", "message"),
    [
        (
            AB + link("FixedLink", "cb", parent="c", child="b"),
            "the part 'b' hangs on <RevoluteLink>",
        ),
        (AB + BC + link("FixedLink", "ca", parent="c", child="a"), "'ca' closes a ring of links"),
        (link("FixedLink", "aa", parent="a", child="a"), "links 'a' to itself"),
        (link("FixedLink", "ad", parent="a", child="d"), "names 'd', which is not a part"),
        (AB.replace('x="1.0" y="0.0" z="0.0"/></Rev', 'x="0" y="0" z="0"/></Rev'), "Axis"),
        (
            link(
                *("PrismaticLink", "s"), parent="a", child="b", more='<Limits lower="1" upper="2"/>'
            ),
            "expected a number in [-1e+06, 0] m, not 1",
        ),
        (link(*("FixedLink", "s"), parent="a", child="still"), "'still' is static"),
    ],
)
def test_a_fault_of_a_link_is_named(tmp_path: Path, links: str, message: str):
    still = box("still", at=(5.0, 0.0, 0.0), motion="static")
    assert message in faults_of(tmp_path, PARTS + still + links)


def test_a_ring_is_named_once(tmp_path: Path):
    ring = AB + BC + link("FixedLink", "ca", parent="c", child="a")
    assert faults_of(tmp_path, PARTS + ring).count("closes a ring") == 1


def test_directions_of_files_become_those_of_the_simulation(tmp_path: Path):
    path = tmp_path / "robot.xml"
    hinge = link("RevoluteLink", "h", parent="a", child="b", at=(1.0, 2.0, 3.0), axis=(0, 0, 2))
    path.write_text(f'<Robot name="r"><Parts>{PARTS}{hinge}</Parts></Robot>', encoding="utf-8")
    (found,) = load_robot(path).links
    assert (found.position, found.axis) == ((3.0, -1.0, 2.0), (1.0, 0.0, 0.0))
    assert found.limits == (float("-inf"), float("inf"))
