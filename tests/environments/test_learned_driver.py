"""What a fleet has taught drives the car of the physics, by its own sensors."""

from autosim import Simulation, load_world
from autosim.environments.fleet.fleet_tasks import TASKS
from autosim.learning.policy_file import read_policy
from autosim.learning.training import evaluate
from autosim.model.tree import Field, TreeNode
from tests.paths import ROOT


def field_of(node: TreeNode, name: str) -> Field:
    """The field of that name."""
    return next(each for each in node.fields if each.name == name)


def test_the_learned_driver_follows_lanes_through_the_town() -> None:
    with Simulation(load_world("worlds/learned_driver.xml"), seed=1) as simulation:
        (robot,) = simulation.tree.robots
        body = next(each for each in robot.children if each.name.endswith(".chassis"))
        position, collisions = field_of(body, "position"), field_of(robot, "collisions")
        roads = simulation.compiled.roads
        offsets, driven = [], 0.0
        before = simulation.state.value(body, position)
        for step in range(240 * 20):
            simulation.step()
            if step % 24 == 0:
                now = simulation.state.value(body, position)
                driven += float(((now - before) ** 2).sum() ** 0.5)
                offsets.append(abs(roads.nearest_lane(now)[2]))
                before = now
        assert driven > 150.0
        assert max(offsets) < 1.7
        assert simulation.state.value(robot, collisions) == 0


def test_the_shipped_policy_arrives_in_traffic() -> None:
    policy = read_policy((ROOT / "userprograms/traffic_policy.npz").read_bytes())
    town = load_world("worlds/circle_town.xml")
    found = evaluate(policy, town, TASKS["Traffic"], episodes=96, seed=3)
    assert found.episodes == 96
    assert found.arrived >= 86
    assert found.collided <= 8
