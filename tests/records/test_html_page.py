"""A run as one page: all of it is in the page, and nothing of it gets out of its place there."""

import base64
import gzip
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from click.testing import CliRunner

from autosim.applications.records.html_page import export_html
from autosim.cli.runs.records import export
from autosim.config.descriptions import WorldDescription
from autosim.errors import UserError
from autosim.kinds.director import build_tree
from autosim.loading.loader import load_world
from autosim.model.state import State, time_after
from autosim.model.tree import WORD
from autosim.records.events import Collision, NoticeLogged, OutputPrinted
from autosim.records.record_file import Record
from autosim.records.record_format import RecordError
from autosim.v1 import autosim_pb2 as pb
from autosim.web.page_files import RECORDING
from autosim.web.streaming.packets import HEADER, StreamKind, read_runs
from autosim.web.streaming.state_channels import EXACT, StateChannel, quanta_of, words_of
from autosim.web.streaming.whole_channels import MOST_WORDS, magnitudes_of, whole_channels
from tests.records.forged import write_record
from tests.records.runs import record_run
from tests.worlds import ROOT

STEPS, EVERY = 60, 12
EVIL = "</script><script>alert(1)</script>"
TEMPLATE = "<!doctype html><p>before</p><!-- data --><p>after</p>"
EVENTS = (
    Collision(24, "impreza", "impreza has hit a tree"),
    OutputPrinted(30, f"{EVIL}\n", "impreza: driver.py"),
    NoticeLogged(36, "warning", "server", "slow"),
)


class Page(NamedTuple):
    """A page that was written, the record that it is of, and the blocks in it."""

    text: str
    record: Record
    blocks: dict[str, bytes]


def states_of(world: WorldDescription) -> Iterator[bytes]:
    """States of a run that was not simulated: all values are random."""
    tree = build_tree(world)
    state, random = State(tree), np.random.default_rng(5)
    for step in range(STEPS + 1):
        for node in tree.walk():
            for field in node.fields:
                first = node.field_offset(field.name) // WORD
                if field.type == "float64" and not field.is_list:
                    scale = 10.0 ** random.integers(-6, 6)
                    count = field.size // WORD
                    state.floats[first : first + count] = random.normal(scale=scale, size=count)
        state.ints[0], state.ints[1] = step, time_after(step, world.physics.step_seconds)
        yield bytes(state.buffer)


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("page")
    (folder / RECORDING).write_text(TEMPLATE)
    return folder


@pytest.fixture(scope="module")
def page(template: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    folder = tmp_path_factory.mktemp("run")
    world = load_world(ROOT / "worlds" / "circle_town.xml")
    path = write_record(folder / "run.mcap", world, states_of(world), EVENTS)
    with Record(path) as record:
        size = export_html(record, folder / "run.html", template)
        text = (folder / "run.html").read_text()
        assert size == len(text.encode())
        pattern = r'<script type="application/x-autosim" data-name="([^"]+)">([^<]*)</script>'
        blocks = {
            name: gzip.decompress(base64.b64decode(packed))
            for name, packed in re.findall(pattern, text)
        }
        yield Page(text, record, blocks)


def test_all_values_of_twenty_states_a_second_come_back(page: Page) -> None:
    channels = tuple(
        StateChannel(*each) for each in json.loads(page.blocks["run.json"])["channels"]
    )
    words, quanta = words_of(channels), quanta_of(channels)
    zeros = np.zeros(len(words), dtype=np.int64)
    stream, at, steps, key = page.blocks["states"], 0, [], zeros
    while at < len(stream):
        kind, _, _, size, step = HEADER.unpack_from(stream, at)
        payload = stream[at + HEADER.size : at + HEADER.size + size]
        values = read_runs(payload, zeros if kind == StreamKind.KEY else key)
        key = values if kind == StreamKind.KEY else key
        expected = np.frombuffer(page.record.state(step), dtype=np.float64)[words]
        is_float = quanta != EXACT
        error = np.abs(values * quanta - expected)[is_float]
        assert np.all(error <= 0.5001 * quanta[is_float])
        at += HEADER.size + size
        steps.append(step)
    assert steps == [*range(0, STEPS, EVERY), STEPS]


def test_each_word_of_the_state_is_in_one_channel(page: Page) -> None:
    tree = page.record.tree
    whole = whole_channels(tree, magnitudes_of(tree, [page.record.state(0)]))
    words = words_of(whole.channels)
    assert len(set(words.tolist())) == len(words)
    fields = [
        (f"{node.name}.{field.name}", field.size // WORD)
        for node in tree.walk()
        if node.twin is None
        for field in node.fields
    ]
    large = [name for name, size in fields if size > MOST_WORDS]
    assert list(whole.left_out) == large
    assert len(words) == sum(size for _, size in fields if size <= MOST_WORDS)


def test_the_page_says_what_happened_when(page: Page) -> None:
    marks = json.loads(page.blocks["run.json"])["marks"]
    assert [(each["step"], each["kind"], each["level"]) for each in marks] == [
        (24, "collision", "error"),
        (30, "message", "info"),
        (36, "message", "warning"),
    ]
    assert marks[1]["text"] == EVIL


def test_no_text_of_a_record_becomes_a_part_of_the_page(page: Page) -> None:
    assert EVIL not in page.text
    assert page.text.startswith("<!doctype html><p>before</p>")
    assert page.text.endswith("<p>after</p>")
    assert page.text.count("<script") == len(page.blocks)


def test_every_file_of_the_world_is_in_the_page(page: Page) -> None:
    description = pb.Description.FromString(page.blocks["description.pb"])
    assert description.world == "circle_town"
    assert description.tree.digest == page.record.tree.digest
    named = set(re.findall(r'"uri":"([^"]+)"', page.blocks["manifest.json"].decode()))
    assert any(each.startswith("/models/") for each in named)
    assert named <= page.blocks.keys()
    assert all(page.blocks[each].startswith(b"glTF") for each in named)


def test_a_checkout_without_the_page_says_what_to_run(page: Page, tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"build_page\.sh"):
        export_html(page.record, tmp_path / "run.html", tmp_path)
    assert not (tmp_path / "run.html").exists()


def test_a_record_without_its_world_says_so(template: Path, tmp_path: Path) -> None:
    path = tmp_path / "run.mcap"
    record_run(path, 10)
    with Record(path) as record, pytest.raises(RecordError, match="made without files"):
        export_html(record, tmp_path / "run.html", template)


def test_a_page_has_all_values_or_none(tmp_path: Path) -> None:
    path = tmp_path / "run.mcap"
    path.touch()
    words = [str(path), "impreza.chassis", "--html", str(tmp_path / "run.html")]
    result = CliRunner().invoke(export, words)
    assert result.exit_code == 2
    assert "leave out NAMES" in result.output
