"""Trees and states in notebooks."""

from xml.etree import ElementTree

from autosim.model.notebook import state_html
from autosim.model.state import State
from tests.server.light_simulation import LightSimulation, light_world


def text_of(html: str) -> str:
    """The text of HTML that is well-formed."""
    return " ".join(ElementTree.fromstring(html).itertext())


def test_a_state_shows_all_values_and_a_node_its_types() -> None:
    simulation = LightSimulation(light_world(2))
    simulation.step()
    html = state_html(simulation.state, "a <title>")
    text = text_of(html)
    assert "a <title>" in text
    assert "r1 " in text
    position = simulation.state.value(*field_of(simulation.state, "r0.box", "position"))
    assert f"{position[0]:.6g}" in text
    node = text_of(simulation.tree.children[0]._repr_html_())
    assert "drive" in node
    assert "float" in node


def field_of(state: State, name: str, field: str):
    node = state.tree.find(name)
    return node, next(each for each in node.fields if each.name == field)
