"""The figures of the nodes, each in a tab, and the graph of the bench."""

from collections.abc import Sequence

from PyQt6.QtCore import QByteArray, Qt
from PyQt6.QtSvgWidgets import QSvgWidget
from PyQt6.QtWidgets import QScrollArea, QTabWidget, QWidget

from autosim_testbench.applications.graph import Edge, draw_edges
from autosim_testbench.window.bench_snapshot import BenchSnapshot


class Figures(QTabWidget):
    """A tab for each figure, in the order in which they appear."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._views: dict[str, QSvgWidget] = {}

    def show_sight(self, sight: BenchSnapshot) -> None:
        """Shows the figures as they are now."""
        for (node, name), picture in sight.figures.items():
            title = f"{node}: {name}"
            if title not in self._views:
                self._add(title)
            if self._views[title] is self.currentWidget():  # the others are not seen
                _load(self._views[title], picture)

    def names(self) -> list[str]:
        """Names of the tabs."""
        return [self.tabText(each) for each in range(self.count())]

    def _add(self, title: str) -> None:
        self._views[title] = QSvgWidget(self)
        self._views[title].setAccessibleName(title)
        self.addTab(self._views[title], title)


class GraphView(QScrollArea):
    """Nodes and what goes from one to the other now, as large as it is drawn."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._shown: tuple[Sequence[str], Sequence[Edge]] = ((), ())
        self._view = QSvgWidget()
        self._view.setAccessibleName("Graph")
        self.setWidget(self._view)

    def show_sight(self, sight: BenchSnapshot) -> None:
        """Shows the graph as it is now: a combiner listens to other nodes in another mode."""
        shown = tuple(each.name for each in sight.nodes), sight.edges
        if shown != self._shown:
            self._shown = shown
            _load(self._view, draw_edges(*shown))
            self._view.resize(self._view.sizeHint())


def _load(view: QSvgWidget, picture: str) -> None:
    view.load(QByteArray(picture.encode()))
    renderer = view.renderer()
    assert renderer is not None
    renderer.setAspectRatioMode(Qt.AspectRatioMode.KeepAspectRatio)
