"""The shipped program that publishes the path that it follows."""

import numpy as np

from autosim import Simulation, load_world
from tests.paths import ROOT


def test_the_plan_begins_at_the_car_and_has_a_point_each_metre() -> None:
    with Simulation(load_world(ROOT / "worlds" / "shown_plan.xml")) as simulation:
        for _ in range(240):
            simulation.step()
        state, tree = simulation.state, simulation.tree
        rows = {}
        for name in ("plan", "hits"):
            node = tree.find(f"impreza.{name}")
            (listed,) = (field for field in node.fields if field.capacity)
            rows[name] = np.asarray(state.value(node, listed))
        chassis = tree.find("impreza.chassis")
        place = state.value(chassis, chassis.fields[0])
    plan = rows["plan"]
    assert plan.shape[1] == rows["hits"].shape[1] == 3
    assert len(plan) > 20
    assert np.linalg.norm(plan[0, :2] - place[:2]) < 3.0
    steps = np.linalg.norm(np.diff(plan[:, :2], axis=0), axis=1)
    np.testing.assert_allclose(steps, 1.0, atol=0.1)
