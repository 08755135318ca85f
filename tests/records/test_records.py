"""Records hold every state to the last bit, and tell when they are damaged."""

from io import BytesIO
from pathlib import Path

import pytest

from autosim.applications.records.recorded_world import recorded_world
from autosim.records import mcap_file, record_file
from autosim.records.events import CommandApplied
from autosim.records.record_file import Record
from autosim.records.record_format import RecordedFile, RecordError
from autosim.records.record_writer import RecordWriter
from autosim.records.recovery import copy_readable, recover
from tests.records.runs import DRIVE, record_run, states_of


def test_a_record_holds_all_states_and_commands(tmp_path: Path) -> None:
    path = tmp_path / "runs" / "run.mcap"
    states = record_run(path, 300)
    assert states_of(path) == states
    with Record(path) as record:
        assert (record.first_step, record.last_step) == (0, 300)
        assert record.state(123) == states[123]
        assert record.result == {"steps": "300", "digest": "d" * 64}
        (first, *_), log = record.log(), record.log()
        assert first == CommandApplied(0, DRIVE, (0.1, 0.0, 0.0))
        assert [each.step for each in log] == list(range(0, 300, 10))


def test_a_record_that_begins_later_has_the_commands_from_the_first_step_on(
    tmp_path: Path,
) -> None:
    path = tmp_path / "run.mcap"
    states = record_run(path, 100, started_at=60)
    assert states_of(path) == states
    with Record(path) as record:
        assert (record.first_step, record.last_step) == (60, 100)
        assert [each.step for each in record.log()] == list(range(0, 100, 10))


def test_a_flipped_byte_is_found(tmp_path: Path) -> None:
    path = tmp_path / "run.mcap"
    record_run(path, 100)
    data = bytearray(path.read_bytes())
    with Record(path) as record:
        chunk = record.chunks[-1]
    data[chunk.chunk_start_offset + chunk.chunk_length - 20] ^= 1
    path.write_bytes(data)
    with pytest.raises(RecordError, match=r"damaged|not a complete record"):
        states_of(path)


def test_what_is_no_record_is_named(tmp_path: Path) -> None:
    path = tmp_path / "run.mcap"
    for content in (b"", b"nothing of the kind" * 10):
        path.write_bytes(content)
        with pytest.raises(RecordError, match=r"not a complete record.*autosim recover"):
            Record(path)
    record_run(path, 10)
    path.write_bytes(path.read_bytes()[:-4])
    with pytest.raises(
        RecordError, match=r"not a complete record \(it has no end\); .*autosim recover"
    ):
        Record(path)
    with pytest.raises(RecordError, match="cannot be read"):
        Record(tmp_path / "none.mcap")


def test_a_record_cut_at_any_byte_of_its_last_two_chunks_is_recovered_up_to_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, whole = tmp_path / "run.mcap", tmp_path / "whole.mcap"
    states = in_chunks(record_run(path, 5), path, monkeypatch)
    with Record(path) as record:
        chunks = sorted(record.chunks, key=lambda each: each.chunk_start_offset)
    data = path.read_bytes()
    begin = chunks[-2].chunk_start_offset
    ends = [each.chunk_start_offset + each.chunk_length for each in chunks[-2:]]
    counts = []
    for cut in range(begin, ends[-1] + 1):
        target = BytesIO()
        counts.append(copy_readable(BytesIO(data[:cut]), target).states)
    assert counts == sorted(counts)
    assert counts[0] == len(states_before(path, begin)) == len(states) - 4
    assert counts[ends[0] - begin] == len(states) - 2
    whole.write_bytes(target.getvalue())
    assert states_of(whole) == states


def test_a_record_that_is_cut_is_recovered_in_its_place(tmp_path: Path) -> None:
    path = tmp_path / "run.mcap"
    states = record_run(path, 40)
    data = path.read_bytes()
    with Record(path) as record:
        (chunk,) = record.chunks
    path.write_bytes(data[: chunk.chunk_start_offset + chunk.chunk_length - 1])
    with pytest.raises(RecordError, match=r"run\.mcap: no state can be read"):
        recover(path, path)
    path.write_bytes(data[: chunk.chunk_start_offset + chunk.chunk_length])
    assert recover(path, path).states == len(states)
    assert states_of(path) == states


def in_chunks(states: list[bytes], path: Path, monkeypatch: pytest.MonkeyPatch) -> list[bytes]:
    """Writes a record anew with two states in each chunk."""
    with Record(path) as record:
        tree, about = record.tree, record.about
    monkeypatch.setattr(mcap_file, "FLUSH_SECONDS", 0.0)
    with path.open("wb") as file:
        writer = RecordWriter(file, tree, about, ())
        for number, state in enumerate(states):
            writer.add_state(state)
            if number % 2:
                writer.flush_if_due()
        writer.finish({})
    return states


def states_before(path: Path, offset: int) -> list[int]:
    """The steps of the states in chunks that begin before that byte."""
    with Record(path) as record:
        chunks = [each for each in record.chunks if each.chunk_start_offset < offset]
        return [step for each in chunks for step in record.states_in(each)]


def with_a_file(path: Path, name: str, content: bytes) -> None:
    """Writes a record to which a file of its world belongs."""
    record_run(path, 20)
    with Record(path) as record, path.with_suffix(".new").open("wb") as file:
        files = (RecordedFile(name, "0" * 64, content),)
        writer = RecordWriter(file, record.tree, record.about, files)
        for _, state in record.states():
            writer.add_state(state)
        writer.finish({})
    path.with_suffix(".new").replace(path)


def test_a_flipped_byte_in_a_file_of_its_world_is_found_and_its_states_stay_readable(
    tmp_path: Path,
) -> None:
    path, whole = tmp_path / "run.mcap", tmp_path / "whole.mcap"
    with_a_file(path, "town.osm", b"<osm>the whole town</osm>")
    with Record(path) as record:
        assert (record.files["town.osm"], record.damaged_files) == (
            b"<osm>the whole town</osm>",
            [],
        )
    path.write_bytes(path.read_bytes().replace(b"the whole", b"thX whole"))
    with Record(path) as record:
        assert (record.files, record.damaged_files) == ({}, ["town.osm"])
    assert len(states_of(path)) == 21
    with pytest.raises(RecordError, match=r"is damaged in town\.osm"), recorded_world(path):
        pass
    found = recover(path, whole)
    assert (found.damaged_parts, found.lost_files) == (1, ("town.osm",))
    for times in ("once", "twice"):
        with Record(whole) as record:
            assert (record.files, record.damaged_files) == ({}, ["town.osm"]), times
        with pytest.raises(RecordError, match=r"is damaged in town\.osm"), recorded_world(whole):
            pass
        recover(whole, whole)


def test_a_disk_without_room_for_the_whole_record_is_named(tmp_path: Path) -> None:
    path, full = tmp_path / "run.mcap", tmp_path / "full.mcap"
    record_run(path, 20)
    full.with_name("full.mcap.part").symlink_to("/dev/full")
    with pytest.raises(RecordError, match=r"full\.mcap: cannot be written: No space .* --out"):
        recover(path, full)
    with pytest.raises(FileNotFoundError):
        recover(tmp_path / "none.mcap", full)


def test_decompressed_chunks_are_cached_within_a_memory_limit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "run.mcap"
    states = in_chunks(record_run(path, 12), path, monkeypatch)
    with Record(path) as record:
        sizes = [sum(map(len, record.states_of_chunk(number).values())) for number in range(7)]
        monkeypatch.setattr(record_file, "_CACHE_BYTES", sizes[-2] + sizes[-1])
        assert [state for _, state in record.states()] == states
        assert record.cached_chunks == [5, 6]
        record.states_of_chunk(5)
        assert record.cached_chunks == [6, 5]
        monkeypatch.setattr(record_file, "_CACHE_BYTES", 0)
        assert record.state(record.first_step) == states[0]
        assert len(record.cached_chunks) == 1
