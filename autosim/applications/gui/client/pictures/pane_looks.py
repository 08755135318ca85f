"""Cameras of the panes, independent of the world: kept over loads and between sessions."""

import json
from dataclasses import astuple, dataclass

from autosim.applications.gui.client.pictures.pane import Pane


@dataclass(frozen=True, slots=True)
class PaneLook:
    """The camera of a pane, as its choice names it, and the robot that it looks at."""

    choice: str
    robot: str

    def choose_in(self, pane: Pane) -> None:
        """Has a pane look so, as far as its world has this robot and camera.

        In a world without robots there was nothing else to choose.
        """
        if pane.camera is None or not self.robot:
            return
        pane.choose_robot(self.robot)
        if self.choice in pane.camera.choices:
            pane.choose(self.choice)


def looks_to_text(looks: list[PaneLook]) -> str:
    """As a text for settings."""
    return json.dumps([astuple(each) for each in looks])


def looks_from_text(text: str) -> list[PaneLook]:
    """From a text of `looks_to_text`; none where the text is another one."""
    try:
        return [PaneLook(str(choice), str(robot)) for choice, robot in json.loads(text)]
    except (ValueError, TypeError):
        return []
