"""Compiled worlds that somebody has made up: refused in words, or of no harm."""

import json
import random
from zlib import crc32

import numpy as np
import pytest

from autosim.applications.maps.world_check import check_text
from autosim.world.compiled.compiled_file import (
    WorldFileError,
    load_compiled_world,
    save_compiled_world,
)
from autosim.world.export.plan_image import draw_world_plan
from tests.world.maps import CROSSING, RESIDENTIAL, build_map

MAGIC = b"AutoSimWorld 1\n"
HOUSE = {"filePath": "m", "sizeX": "8", "sizeY": "5", "sizeZ": "12"}


@pytest.fixture(scope="module")
def sound(tmp_path_factory):
    """The bytes of a compiled world with a building, a house and a bar to one turn."""
    folder = tmp_path_factory.mktemp("sound")
    square = ((20.0, 20.0), (40.0, 20.0), (40.0, 40.0), (20.0, 40.0), (20.0, 20.0))
    ways = [*CROSSING, (square, {"building": "yes"}), (((0.0, 60.0), (60.0, 60.0)), RESIDENTIAL)]
    world = build_map(folder, ways, nodes=[((-40.0, 40.0), HOUSE)])
    save_compiled_world(world, folder / "a.world")
    return (folder / "a.world").read_bytes()


def taken_apart(content):
    """The head, and the bytes of each array by its name."""
    begin = len(MAGIC) + 8
    end = begin + int.from_bytes(content[len(MAGIC) : begin], "little")
    head = json.loads(content[begin:end])
    first = -(-end // 64) * 64
    arrays = {}
    for name, dtype, shape, start in head["arrays"]:
        size = int(np.prod(shape)) * np.dtype(dtype).itemsize
        arrays[name] = bytearray(content[first + start : first + start + size])
    return head, arrays


def put_together(head, arrays, **others):
    """A file of which the sizes and sums are right."""
    body, table = bytearray(), []
    for name, dtype, shape, _ in head["arrays"]:
        body += bytes(-len(body) % 64)
        table.append([name, dtype, shape, len(body)])
        body += arrays[name]
    table = others.pop("table", lambda rows: rows)(table)
    text = json.dumps({"size": len(body), "crc32": crc32(body), "arrays": table} | others).encode()
    return with_head(text, body)


def with_head(text, body=b""):
    start = MAGIC + len(text).to_bytes(8, "little") + text
    return start + bytes(-len(start) % 64) + bytes(body)


def with_texts(content, **changes):
    """The file with other texts."""
    head, arrays = taken_apart(content)
    texts = json.dumps(json.loads(arrays["texts"]) | changes).encode()
    arrays["texts"] = bytearray(texts)
    for row in head["arrays"]:
        if row[0] == "texts":
            row[2] = [len(texts)]
    return put_together(head, arrays)


def refused(folder, content):
    (folder / "b.world").write_bytes(content)
    with pytest.raises(WorldFileError, match=r"is (not|a damaged) a? ?compiled world: .") as found:
        load_compiled_world(folder / "b.world")
    return str(found.value)


def test_a_file_that_is_put_together_anew_is_the_same(sound, tmp_path):
    (tmp_path / "b.world").write_bytes(put_together(*taken_apart(sound)))
    load_compiled_world(tmp_path / "b.world")


@pytest.mark.parametrize(
    "head",
    [b"[" * 200_000, b'{"size":' * 100_000, b"1e999", b"9" * 5000, b"null", b"\xff", b"{}", b""],
)
def test_a_head_that_is_none_is_refused(tmp_path, head):
    refused(tmp_path, with_head(head))
    refused(tmp_path, MAGIC + (2**63).to_bytes(8, "little") + head)


@pytest.mark.parametrize(
    ("column", "value"),
    [
        (1, "O"),
        (1, "(1000000000,1000000000)f8"),
        (1, [["a", "<f8"]]),
        (2, [2**62, 3]),
        (2, [-1, 3]),
        (2, [10**400]),
        (2, "x"),
        (3, -64),
        (3, 2**70),
        (3, None),
    ],
)
def test_an_array_that_is_none_is_refused(sound, tmp_path, column, value):
    def changed(rows):
        row = next(row for row in rows if row[0] == "ground.vertices")
        row[column] = value
        return rows

    refused(tmp_path, put_together(*taken_apart(sound), table=changed))


@pytest.mark.parametrize(
    "changes",
    [
        {"name": {"a": 1}},
        {"origin": [1.0]},
        {"bounds": [0, 0, 10**400, 1]},
        {"bounds": [0, 0, float("nan"), 1]},
        {"driving_side": "up"},
        {"houses": [1]},
        {"invariants": [["a", "b"]]},
        {"used": 7},
        {"warnings": [["file", 1.5, "text"]]},
    ],
)
def test_texts_of_other_kinds_are_refused(sound, tmp_path, changes):
    refused(tmp_path, with_texts(sound, **changes))


def test_what_is_said_of_a_file_has_no_control_characters(sound, tmp_path):
    assert "\x1b" not in refused(tmp_path, with_texts(sound, driving_side="\x1b[2J"))


def mutated(content, chance):
    """The file with some bytes of an array, or a row of its head, changed at random."""
    head, arrays = taken_apart(content)
    name = chance.choice([row[0] for row in head["arrays"]])
    array = arrays[name]
    if array and chance.random() < 0.8:
        for _ in range(chance.choice([1, 1, 8])):
            place = chance.randrange(len(array))
            array[place] = chance.choice([0, 1, 0x7F, 0x80, 0xFF, chance.randrange(256)])
        return put_together(head, arrays)

    def changed(rows):
        row = next(row for row in rows if row[0] == name)
        row[chance.choice([1, 2, 3])] = chance.choice(
            ["<f8", "|u1", "<i4", [], [0], [1, 3], [2**40], 0, 64, 2**40, None, {}]
        )
        return rows

    return put_together(head, arrays, table=changed)


def use(world):
    """What commands and programs do with a world."""
    check_text(world)
    draw_world_plan(world, size=64)
    for lane in world.roads.lanes:
        lane.position(1.0), lane.heading(1.0), lane.highway, lane.control, lane.stop_line
        [world.roads.lanes[k].length for k in lane.successors]
    world.roads.traffic.barred_paths()
    for number in range(len(world.ground.starts) - 1):
        world.ground.tile(number)


@pytest.mark.filterwarnings("ignore:.*:RuntimeWarning")
def test_a_world_with_changed_bytes_is_refused_or_can_be_used(sound, tmp_path):
    chance = random.Random(11)
    used = 0
    for _ in range(150):
        path = tmp_path / "b.world"
        path.write_bytes(mutated(sound, chance))
        try:
            world = load_compiled_world(path)
        except WorldFileError:
            continue
        use(world)
        used += 1
    assert 0 < used < 150
