"""The server's window: a refresh of a large tree, and what the window costs the step.

On a screen where there is one (`xvfb-run python benchmarks/server_window.py`), else on none. Runs
with and without the window alternate, since nothing else keeps the machine's other work apart.
"""

import os
import statistics
import sys
import tempfile
import time
from pathlib import Path

if not os.environ.get("DISPLAY"):
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PyQt6.QtCore import QSettings
from PyQt6.QtWidgets import QApplication

from autosim.applications.gui.server.operator import ServerSettings, ServerStage
from autosim.applications.gui.server.server_window import ServerWindow
from autosim.applications.gui.shared.objects.objects_panel import TreeView
from autosim.applications.gui.shared.objects.tree_model import TreeModel
from autosim.client.link.simulation_control import simulation_control
from autosim.loading.loader import load_world
from autosim.model.state import State
from autosim.model.tree import SimulationTree
from autosim.server.network.front import ServerOptions
from autosim.server.network.server_process import ServerProcess
from tests.kinds.rig import device_node, register_robot

WORLD = "worlds/circle_town.xml"
STEPS = 4800
ROUNDS = 3
ROBOTS = (1, 10, 100)
KINDS = ("DriveActuator", "WheelDevice", "PSDSensor", "GPSSensor", "VelocimeterSensor") * 4


def large_state(robots: int) -> State:
    tree = SimulationTree()
    for number in range(robots):
        part = register_robot(tree, f"robot{number}")
        for place, kind in enumerate(KINDS):
            part.register(device_node(kind, f"device{place}"))
    tree.lay_out()
    return State(tree)


def refresh_milliseconds(robots: int, repeats: int = 100) -> float:
    model = TreeModel()
    view = TreeView(model)
    model.show(large_state(robots))
    view.expandAll()
    view.resize(600, 700)
    view.show()
    QApplication.processEvents()
    begin = time.process_time()
    for _ in range(repeats):
        model.refresh()
        view.grab()
    return (time.process_time() - begin) / repeats * 1e3


def step_alone() -> tuple[float, float]:
    world = load_world(WORLD)
    with (
        ServerProcess(world, ServerOptions("127.0.0.1:0")) as server,
        simulation_control(server.address) as control,
    ):
        while control.status().phase.name == "LOADING":
            time.sleep(0.05)
        control.step(STEPS)
        return control.report().step_ms


def step_with_window(application: QApplication) -> tuple[float, float]:
    with tempfile.TemporaryDirectory() as folder:
        settings = QSettings(str(Path(folder) / "s.ini"), QSettings.Format.IniFormat)
        window = ServerWindow(WORLD, ServerSettings("127.0.0.1", 0, pace=0.0), settings)
        window.show()
        window.operator.run()
        while window.operator.stage is not ServerStage.RUNNING or window.operator.mirror is None:
            application.processEvents()
            time.sleep(0.005)
        while window.operator.mirror.state.step < STEPS:
            application.processEvents()
            time.sleep(0.005)
        report = window.operator.mirror.connection.report()
        window.close()
    return report.step_ms


def main() -> None:
    application = QApplication(sys.argv[:1])
    for robots in ROBOTS:
        cost = refresh_milliseconds(robots)
        print(f"tree of {robots:>3} robots × {len(KINDS)} devices: a refresh {cost:.2f} ms of CPU")
    ratios = []
    for number in range(1, ROUNDS + 1):
        alone, watched = step_alone(), step_with_window(application)
        ratios.append(watched[0] / alone[0])
        for what, (p50, p99) in (("without a window", alone), ("with the window ", watched)):
            print(f"round {number}: step {what}  p50 {p50:.3f} ms  p99 {p99:.3f} ms")
    shown = ", ".join(f"{ratio:.3f}" for ratio in ratios)
    print(f"ratio of p50, with by without: {shown}; median {statistics.median(ratios):.3f}")


if __name__ == "__main__":
    main()
