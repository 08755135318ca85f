"""The bar of a compile is drawn without a thread, since compiling forks."""

import io
import threading

import pytest
from rich.console import Console

from autosim.applications.common import rich_console, terminal


@pytest.fixture
def screen(monkeypatch):
    text = io.StringIO()
    monkeypatch.setattr(rich_console, "CONSOLE", Console(file=text, force_terminal=True))
    return text


@pytest.mark.parametrize("has_thread", [True, False])
def test_a_bar_has_a_thread_only_where_it_may(screen, has_thread):
    others = threading.active_count()
    with terminal.progress_bar(has_thread=has_thread) as bar:
        assert (threading.active_count() > others) is has_thread
        task = bar.add_task("map", total=1.0)
        bar.update(task, completed=0.5, description="map: read")
    assert "map: read" in screen.getvalue()
