"""Records that were damaged or made to do harm: an error of AutoSim's own, within bounds."""

import tracemalloc
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
import zstandard
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from mcap.records import Chunk
from mcap.stream_reader import StreamReader

from autosim.errors import UserError
from autosim.loading.loader import load_world
from autosim.records.chunks import MAX_CHUNK_BYTES, records_of
from autosim.records.record_file import Record
from autosim.records.record_format import RecordError, RunMetadata
from autosim.records.recovery import recover
from tests.records.forged import forge, write_record
from tests.records.runs import record_run
from tests.worlds import ROOT

SEEDED = settings(
    max_examples=150,
    derandomize=True,
    database=None,
    deadline=None,
    phases=[Phase.generate],
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
MIB = 1024 * 1024


@pytest.fixture(scope="module")
def record(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The record of a shipped world, with files and one state."""
    world = load_world(ROOT / "worlds" / "circle_town.xml")
    return write_record(tmp_path_factory.mktemp("record") / "run.mcap", world)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The record of a run, with states and events."""
    path = tmp_path_factory.mktemp("run") / "run.mcap"
    record_run(path, 30)
    return path


def read_all(path: Path) -> None:
    with Record(path) as opened:
        for _ in opened.states():
            pass
        list(opened.events())
        opened.find_state(3)


@contextmanager
def within(limit: int) -> Iterator[None]:
    """Makes sure that Python takes no more than `limit` bytes at a time."""
    tracemalloc.start()
    try:
        yield
        assert tracemalloc.get_traced_memory()[1] < limit
    finally:
        tracemalloc.stop()


def bomb(*, has_size: bool) -> bytes:
    """A frame of some 10 kB that unpacks to more than a chunk may have."""
    size = MAX_CHUNK_BYTES + MIB
    packer = zstandard.ZstdCompressor().compressobj(size=size if has_size else -1)
    block = bytes(MIB)
    return b"".join([*(packer.compress(block) for _ in range(size // MIB)), packer.flush()])


@pytest.mark.parametrize("has_size", [True, False])
@pytest.mark.parametrize("claimed", [100, MIB, MAX_CHUNK_BYTES + MIB, 2**63])
def test_a_bomb_is_unpacked_no_further_than_it_says(has_size: bool, claimed: int):
    data = bomb(has_size=has_size)
    assert len(data) < MIB
    chunk = Chunk(
        compression="zstd",
        data=data,
        message_start_time=0,
        message_end_time=0,
        uncompressed_crc=0,
        uncompressed_size=claimed,
    )
    with within(8 * MIB), pytest.raises(ValueError, match="a chunk"):
        list(records_of(chunk))


def test_recover_leaves_out_a_bomb(run: Path, tmp_path: Path):
    path, data = tmp_path / "bomb.mcap", run.read_bytes()
    with run.open("rb") as file:
        first = next(
            each for each in StreamReader(file, emit_chunks=True).records if isinstance(each, Chunk)
        )
    place = data.index(first.data)
    forged = bomb(has_size=True)
    # In place of the chunk's data, with the lengths before it: of the record, and of the data.
    head = data[place - 8 - 4 - len("zstd") - 28 - 9 : place]
    length = int.from_bytes(head[1:9], "little") + len(forged) - len(first.data)
    new = head[:1] + length.to_bytes(8, "little") + head[9:-8] + len(forged).to_bytes(8, "little")
    path.write_bytes(data[: place - len(head)] + new + forged + data[place + len(first.data) :])
    with within(32 * MIB), suppress(RecordError):
        assert recover(path, tmp_path / "whole.mcap").damaged_parts >= 1
    with pytest.raises(RecordError):
        read_all(path)


def test_a_record_without_a_tree_says_so(record: Path, tmp_path: Path):
    path = forge(record, tmp_path / "forged.mcap", left_out=("tree.pb",))
    with pytest.raises(RecordError, match=r"has no attachment 'tree\.pb'"):
        read_all(path)


@pytest.mark.parametrize("message", [b"", b"\xff", b"\x0a\xff\xff\xff\xff\x0f", b"\x08\x01" * 50])
def test_whole_chunks_of_messages_that_are_none(run: Path, tmp_path: Path, message: bytes):
    path = forge(run, tmp_path / "forged.mcap", message=message)
    with Record(path) as opened:
        with pytest.raises(UserError):
            list(opened.states())
        with suppress(UserError):
            list(opened.events())


@SEEDED
@given(data=st.data())
@pytest.mark.parametrize("name", ["record", "run"])
def test_damaged_bytes_are_an_error_of_ones_own(
    request: pytest.FixtureRequest, tmp_path: Path, name: str, data: st.DataObject
):
    content = bytearray(request.getfixturevalue(name).read_bytes())
    for _ in range(data.draw(st.integers(1, 4))):
        place = data.draw(st.integers(0, len(content) - 1))
        size = data.draw(st.integers(0, 8))
        content[place : place + size] = data.draw(st.binary(max_size=12))
    if data.draw(st.booleans()):
        # The end says where everything lies.
        place = data.draw(st.integers(max(0, len(content) - 600), len(content) - 9))
        content[place : place + 8] = data.draw(st.binary(min_size=8, max_size=8))
    path = tmp_path / "damaged.mcap"
    path.write_bytes(content)
    with suppress(RecordError):
        read_all(path)
    with suppress(RecordError):
        recover(path, tmp_path / "whole.mcap")


ODD = """x null [] {} [[1,2,3]] [[1]] [["a","b"]] NaN 1e400 -1 true 0 1e-300 "٣" "1" 1.5 {"a":1}"""
VALUES = st.sampled_from([*ODD.split(), "", "9" * 5000, "[" * 100_000])


@pytest.fixture(scope="module")
def texts(record: Path) -> dict[str, str]:
    """What a record says about its run."""
    with Record(record) as opened:
        return opened.about.as_texts()


@SEEDED
@given(data=st.data())
def test_texts_about_a_run_are_checked(texts: dict[str, str], data: st.DataObject):
    texts = dict(texts)
    for key in data.draw(st.sets(st.sampled_from([*texts, "more"]), min_size=1, max_size=2)):
        texts[key] = data.draw(VALUES)
    with suppress(RecordError):
        about = RunMetadata.from_texts(texts)
        assert about.step_seconds > 0.0
        assert all(isinstance(each, str) for pair in about.files for each in pair)
