"""Robots as URDF: one tree of links whose names are those of the frames."""

import pytest
from lxml import etree

pytest.importorskip("rosbags")

from autosim.engine.step.simulation import Simulation
from autosim.loading.loader import load_robot
from autosim.ros2.bridge import robots_of
from autosim.ros2.robots.odometry import RobotTransforms
from autosim.ros2.robots.robot_description import urdf_of
from tests.paths import ROOT
from tests.server.lidar_worlds import world_with
from tests.worlds import flat_world

ROBOTS = sorted((ROOT / "robots").glob("*.xml"))


@pytest.mark.parametrize("file", ROBOTS, ids=lambda file: file.stem)
def test_each_shipped_robot_is_one_tree(file) -> None:
    root = etree.fromstring(urdf_of(load_robot(file)).encode())
    links = [each.get("name") for each in root.iter("link")]
    parents = {
        each.find("child").get("link"): each.find("parent").get("link")
        for each in root.findall("joint")
    }
    assert len(set(links)) == len(links)
    names = [each.get("name") for each in root.findall("joint")]
    assert len(set(names)) == len(names)
    (base,) = set(links) - parents.keys()
    assert base.endswith("/base_link")
    for link in links:
        above = link
        for _ in links:
            above = parents.get(above, above)
        assert above == base
    for geometry in root.iter("box", "cylinder", "sphere"):
        assert all(float(each) > 0.0 for text in geometry.attrib.values() for each in text.split())


def test_the_links_are_the_frames_that_move() -> None:
    with Simulation(world_with(), compiled=flat_world(), report=lambda notice: None) as simulation:
        robot = robots_of(simulation.state.tree)[0]
        moving = RobotTransforms(simulation.state, robot).moving(0)
    root = etree.fromstring(urdf_of(robot).encode())
    links = {each.get("name") for each in root.iter("link")}
    assert {each["child_frame_id"] for each in moving} <= links
    wheel = next(each for each in root.findall("joint") if each.get("type") == "continuous")
    assert wheel.find("axis").get("xyz") == "0 1 0"
    steered = [each for each in root.findall("joint") if each.get("type") == "revolute"]
    knuckles = {each.find("child").get("link") for each in steered}
    rolling = [each for each in root.findall("joint") if each.get("type") == "continuous"]
    assert knuckles <= {each.find("parent").get("link") for each in rolling}
    assert len(knuckles) == 2
