"""Runs in notebooks: a frame with the page of the run."""

import base64
import gzip
import html
import re
from contextlib import closing
from pathlib import Path

import pytest
from gymnasium.wrappers import TimeLimit
from IPython.core.formatters import DisplayFormatter

import autosim
from autosim.applications.records import html_page
from autosim.environments.driving import DrivingEnv
from autosim.errors import UserError
from autosim.kinds.director import build_tree
from autosim.model.notebook import NotebookView
from autosim.model.state import State
from autosim.web.page_files import RECORDING
from autosim.web.streaming.packets import HEADER
from tests.records.forged import write_record
from tests.worlds import ROOT

TOWN = str(ROOT / "worlds" / "circle_town.xml")
PAGE = '<!doctype html><p>Ä & <b>"quotes"</b></p><!-- data --><p>after</p>'


@pytest.fixture(autouse=True)
def _page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / RECORDING).write_text(PAGE, encoding="utf-8")
    monkeypatch.setattr(html_page, "page_folder", lambda: tmp_path)


def displayed(view: NotebookView) -> str:
    """The HTML that a notebook gets of a view."""
    contents, _ = DisplayFormatter().format(view)
    return str(contents["text/html"])


def page_in(frame: str) -> str:
    """The page in a frame, as a browser reads it."""
    assert frame.isascii()
    found = re.fullmatch(
        r'<iframe title="[^"]*" sandbox="allow-scripts" [^>]*srcdoc="([^"]*)">'
        r"</iframe>",
        frame,
    )
    assert found is not None, frame[:200]
    return html.unescape(found[1])


def steps_in(page: str) -> list[int]:
    """The steps whose states are in a page."""
    packed = re.search(r'data-name="states">([^<]*)<', page)
    assert packed is not None
    stream, at, steps = gzip.decompress(base64.b64decode(packed[1])), 0, []
    while at < len(stream):
        _, _, _, size, step = HEADER.unpack_from(stream, at)
        steps.append(step)
        at += HEADER.size + size
    return steps


def test_a_simulation_shows_what_follows_its_first_view() -> None:
    with autosim.Simulation(autosim.load_world(TOWN)) as simulation:
        simulation.run(5)
        view = simulation.show()
        assert steps_in(page_in(displayed(view))) == [5]
        simulation.run(31)
        again = simulation.show()
        assert steps_in(page_in(displayed(again))) == [5, 12, 24, 36]
    page = page_in(displayed(view))
    assert steps_in(page) == [5, 12, 24, 36]
    assert page.startswith(PAGE.partition("<!--")[0])


def test_a_view_keeps_the_last_states(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("autosim.applications.records.notebook_view.MAX_STATES", 2)
    with autosim.Simulation(autosim.load_world(TOWN)) as simulation:
        view = autosim.show(simulation)
        simulation.run(48)
    assert steps_in(page_in(displayed(view))) == [36, 48]


def test_an_environment_shows_its_episode() -> None:
    environment = DrivingEnv(TOWN)
    with pytest.raises(UserError, match=r"call reset\(\) first"):
        environment.show()
    environment.reset(seed=1)
    view = environment.show()
    for _ in range(2):
        environment.step(environment.action_space.sample())
    environment.close()
    assert steps_in(page_in(displayed(view))) == [0, 3, 6, 9, 12]


def test_a_wrapped_environment_shows_its_episode() -> None:
    with closing(TimeLimit(DrivingEnv(TOWN), max_episode_steps=5)) as wrapped:
        wrapped.reset(seed=1)
        assert steps_in(page_in(displayed(autosim.show(wrapped)))) == [0]


def test_what_cannot_be_shown_is_named() -> None:
    with pytest.raises(TypeError, match="an environment of AutoSim, not 'int'"):
        autosim.show(5)  # type: ignore[arg-type]


def test_a_record_is_shown_and_saved(tmp_path: Path) -> None:
    world = autosim.load_world(TOWN)
    state = State(build_tree(world))
    states = (bytes(state.buffer) for state.ints[0] in range(25))
    path = write_record(tmp_path / "run.mcap", world, states)
    view = autosim.show(path, height=300)
    frame = displayed(view)
    assert "height: 300px" in frame
    assert steps_in(page_in(frame))[-1] == 24
    view.save(tmp_path / "run.html")
    assert (tmp_path / "run.html").read_text(encoding="utf-8") == page_in(frame)
