"""What the tests of the client's window share."""

from pathlib import Path

import numpy as np
from PyQt6.QtCore import QSettings, Qt
from PyQt6.QtTest import QTest

from autosim.applications.gui.client.client_window import ClientWindow
from autosim.applications.gui.client.pane_recorder import to_pixels
from autosim.applications.gui.client.player import ClientSettings
from tests.applications.gui.driving import press, until

TWO_CARS = """\
<World name="two_cars">
  <Graphics>
    <View name="view">
      <Size width="160" height="120"/>
      <Shadows value="false"/>
    </View>
  </Graphics>
  <Terrain>
    <Map name="circle_town">
      <Folder path="worlds/circle_town"/>
      <DrivingSide value="left"/>
    </Map>
  </Terrain>
  <Objects>
    <Robot name="first"><File path="robots/impreza.xml"/></Robot>
    <Robot name="second">
      <File path="robots/impreza.xml"/>
      <UserProgram file="look.py" side="client" arguments="closely"/>
    </Robot>
  </Objects>
</World>
"""
LOOK = """\
from autosim.userprogram import get_image, wait

def main(argv):
    picture = get_image(f"{argv[0]}.chassis.front_view")
    wait(0.05)
    raise SystemExit(f"seen {picture.shape} {' '.join(argv[1:])}")
"""
FRONT = "first.chassis.front_view"


def write_world(folder: Path) -> str:
    """The demo town with two cars that stand, and small pictures; one has a program for clients."""
    (folder / "userprograms").mkdir(exist_ok=True)
    (folder / "userprograms" / "look.py").write_text(LOOK)
    file = folder / "two_cars.xml"
    file.write_text(TWO_CARS)
    return str(file)


def make_client(folder, world, address, **settings):
    """A window whose settings are in `folder`, on screen and active."""
    kept = QSettings(str(folder / "settings.ini"), QSettings.Format.IniFormat)
    window = ClientWindow(str(world), ClientSettings(address=address, **settings), kept)
    window.resize(900, 600)
    window.show()
    window.activateWindow()
    QTest.qWaitForWindowActive(window)
    return window


def play(window):
    """Loads and connects, by keyboard."""
    press(window, Qt.Key.Key_F5)


def begin_anew(window):
    """Puts a window that is used again back to how it began."""
    window.show()
    while len(window.grid.panes) > 1:
        window.grid.remove(window.grid.panes[-1])
    pane = window.grid.panes[0]
    pane.choose_robot("first")
    pane.choose("Chase camera")
    chosen = window.drawing.chosen
    chosen.names = chosen.rays = chosen.lanes = chosen.paths = chosen.beliefs = False
    window.fields.sky.reset()
    window.activateWindow()
    pane.view.setFocus()
    settle(window)


def connection(window):
    return window.player.session.mirror.connection


def let_work(window, refreshes=3):
    """Lets the window work for so many refreshes of its tree."""
    seen = []
    window.objects.model.dataChanged.connect(seen.append)
    until(lambda: len(seen) >= refreshes)
    window.objects.model.dataChanged.disconnect(seen.append)


def step(window, steps):
    """Does so many steps, and waits until the pictures show the last."""
    last = connection(window).step(steps).step
    until(lambda: window.player.state.step == last and not window.player.advance(0.0))


def settle(window):
    """Waits until nothing is drawn any more: all of a state has been shown."""
    for _ in range(50):
        before = window.drawing.frames
        let_work(window, 1)
        if window.drawing.frames == before:
            return
    raise AssertionError("the window never stops drawing")


def picture(window, number=0):
    """The picture of a pane, (height, width, 3)."""
    return to_pixels(window.grid.panes[number].view.image)


def painted(window, number=0):
    """The same with what is painted over it."""
    return to_pixels(window.grid.panes[number].view.annotated())


def differ(one, other):
    """Share of the pixels in which two pictures differ."""
    return float((np.asarray(one) != np.asarray(other)).any(axis=-1).mean())
