"""Files that want to do harm, or are none: a message, and nothing else happens."""

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from autosim.config.reading.xml_reader import MAX_BYTES, MAX_TAGS
from autosim.loading.checker import check_file
from tests.config.samples import HOUSES, ROBOT, SETUP, WORLD, write

SECRET = "the content of another file"

BILLION_LAUGHS = """\
<?xml version="1.0"?>
<!-- a comment -->
<!DOCTYPE Robot [
  <!ENTITY a "aaaaaaaaaa">
  <!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">
  <!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;">
]>
<Robot name="&c;"/>
"""


def only_message(path: Path, line: int) -> str:
    (found,) = check_file(path)
    assert (found.level, found.line) == ("error", line)
    assert SECRET not in str(found)
    return found.message


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (BILLION_LAUGHS, 3),
        ('<!DOCTYPE r [<!ENTITY x SYSTEM "file:///etc/passwd">]>\n<Robot name="r">&x;</Robot>', 1),
        ('\n\n<!DOCTYPE Robot SYSTEM "http://localhost/robot.dtd">\n<Robot name="r"/>', 3),
        ("\ufeff<?xml version='1.0'?>\n<!DOCTYPE Robot><Robot/>", 2),
    ],
)
def test_a_document_type_is_refused(tmp_path: Path, text: str, line: int) -> None:
    message = only_message(write(tmp_path, text), line)
    assert message == "a DOCTYPE (and its entities) is not allowed"


def test_an_entity_is_not_defined(tmp_path: Path) -> None:
    assert "Entity 'x' not defined" in only_message(
        write(tmp_path, "<Robot name='r'>\n&x;</Robot>"), 2
    )


def test_an_inclusion_is_refused_and_not_read(tmp_path: Path) -> None:
    write(tmp_path, SECRET, "secret.txt")
    inclusion = '<xi:include href="secret.txt" parse="text"/>\n</Robot>'
    text = ROBOT.replace('name="cart"', 'name="r" xmlns:xi="http://www.w3.org/2001/XInclude"', 1)
    text = text.replace("</Robot>", inclusion)
    line = text[: text.index("<xi:")].count("\n") + 1
    assert only_message(write(tmp_path, text), line) == "XInclude is not allowed"


def test_deep_nesting_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path, "<Robot>" + "<a>" * 20_000 + "</a>" * 20_000 + "</Robot>")
    assert "Excessive depth" in only_message(path, 1)


def test_nesting_in_an_unknown_element_is_not_followed(tmp_path: Path) -> None:
    nested = "<a>" * 200 + "</a>" * 200
    path = write(tmp_path, ROBOT.replace("</Devices>", nested + "</Devices>"))
    assert [each.level for each in check_file(path)] == ["error"]


def test_too_many_tags_are_refused(tmp_path: Path) -> None:
    path = write(tmp_path, "<Robot>" + "<a/>" * MAX_TAGS + "</Robot>")
    assert only_message(path, 0) == f"the file has more than {MAX_TAGS} tags"


def test_a_huge_file_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path, " " * (MAX_BYTES + 1))
    assert only_message(path, 0) == f"the file is larger than {MAX_BYTES} bytes"


def test_too_many_attributes_are_refused(tmp_path: Path) -> None:
    attributes = " ".join(f'a{number}=""' for number in range(400_000))
    message = only_message(write(tmp_path, f"<Robot {attributes}/>"), 1)
    assert message == "<Robot> has more than 100 attributes"


@pytest.mark.parametrize("attribute", ["name", "nonsense", "n" * 30_000])
def test_a_huge_attribute_gives_a_short_message(tmp_path: Path, attribute: str) -> None:
    found = check_file(write(tmp_path, f'<Robot {attribute}="{"x" * 1_000_000}"/>'))
    assert found
    assert all(len(each.message) < 300 for each in found)


def test_a_huge_number_of_digits_is_refused(tmp_path: Path) -> None:
    text = ROBOT.replace('"1400.0"', f'"{"9" * 100_000}"')
    assert "expected at most 1000 characters" in only_message(write(tmp_path, text), 7)


def test_control_characters_do_not_reach_the_terminal(tmp_path: Path) -> None:
    text = ROBOT.replace('"1400.0"', '"&#x9b;31m&#x202e;red"')
    message = only_message(write(tmp_path, text), 7)
    assert message.isprintable()


CUT = ROBOT[: ROBOT.index("</Devices>")]


@pytest.mark.parametrize(
    ("content", "line", "message"),
    [
        (b"", 0, "the file is empty"),
        (b"   \n ", 2, "not well-formed XML"),
        (b"\x7fELF\x02\x01\x01\x00\x00", 1, "not a text file: zero byte at offset 7"),
        (b"<Robot>\n<a b='\xe4'/></Robot>", 2, "not UTF-8 text: byte 0xe4 at offset 14"),
        ("<Robot name='r'/>".encode("utf-16"), 1, "not UTF-8 text: byte 0xff at offset 0"),
        (b"<Robot name='r'><Parts></Robot>", 1, "not well-formed XML: Opening and ending tag"),
        (CUT.encode(), CUT.count("\n") + 1, "Premature end of data"),
        (b"<Robot name='r'/><Robot/>", 1, "Extra content at the end"),
        (b"name: robot", 1, "is text, not XML"),
        (b"<Robto name='r'/>", 1, "did you mean 'Robot'?"),
        (b"<html/>", 1, "expected one of the root elements <World>, <Robot>, <Setup>, <houses>"),
    ],
)
def test_what_is_no_configuration_file_is_said(
    tmp_path: Path, content: bytes, line: int, message: str
) -> None:
    path = tmp_path / "file.xml"
    path.write_bytes(content)
    assert message in only_message(path, line)


def test_a_declared_encoding_does_not_matter(tmp_path: Path) -> None:
    declared = ROBOT.replace('version="1.0"', 'version="1.0" encoding="UTF-7"')
    assert check_file(write(tmp_path, declared)) == []


@pytest.mark.parametrize(
    ("name", "message"),
    [
        (".", "is a folder, not a file"),
        ("gone.xml", "cannot be read: No such file or directory"),
        ("gone/gone.xml", "cannot be read"),
        ("zero\0.xml", "cannot be read: embedded null byte"),
        ("n" * 5000 + ".xml", "cannot be read: File name too long"),
        ("pipe.xml", "is not a plain file"),
        ("pipe.osm", "is not a plain file"),
        ("loop.xml", "cannot be read"),
    ],
)
def test_what_cannot_be_read_is_said(tmp_path: Path, name: str, message: str) -> None:
    if name.startswith("pipe"):
        os.mkfifo(tmp_path / name)
    (tmp_path / "loop.xml").symlink_to("loop.xml")
    assert message in only_message(tmp_path / name, 0)


def test_a_file_without_permission_is_said(tmp_path: Path) -> None:
    path = write(tmp_path, ROBOT)
    path.chmod(0)
    if os.access(path, os.R_OK):
        pytest.skip("this user may read everything")
    assert only_message(path, 0) == "cannot be read: Permission denied"


def test_a_link_out_of_the_roots_is_refused(tmp_path: Path) -> None:
    inside = tmp_path / "inside"
    secret = write(tmp_path, SECRET, "secret.txt")
    world = write(inside, WORLD, "town.xml")
    (inside / "robots").mkdir()
    (inside / "robots" / "cart.xml").symlink_to(secret)
    (inside / "town").mkdir()
    (inside / "town" / "town.osm").symlink_to(secret)
    found = check_file(world, roots=())
    assert SECRET not in "\n".join(map(str, found))
    assert sum("leads out of its root by a link" in each.message for each in found) == 3


def spoil(data: bytes, edits: list[tuple[int, bytes]]) -> bytes:
    for position, piece in edits:
        at = position % (len(data) + 1)
        data = data[:at] + piece + data[at + len(piece) // 2 :]
    return data


EDITS = st.lists(st.tuples(st.integers(0, 10_000), st.binary(max_size=12)), max_size=8)
QUIET = settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])


@given(data=st.binary(max_size=400))
@QUIET
def test_any_bytes_give_findings_and_never_an_exception(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "any.xml"
    path.write_bytes(data)
    assert any(each.level == "error" for each in check_file(path))


@given(sample=st.sampled_from([ROBOT, SETUP, HOUSES, WORLD]), edits=EDITS)
@QUIET
def test_a_damaged_file_never_raises(
    tmp_path: Path, sample: str, edits: list[tuple[int, bytes]]
) -> None:
    path = tmp_path / "damaged.xml"
    path.write_bytes(spoil(sample.encode(), edits))
    assert all(len(str(each)) < 1000 for each in check_file(path))


SWAPS = st.lists(st.sampled_from(sorted(set(ROBOT.replace("\n", " ").split('"')))), min_size=1)


@given(sample=st.sampled_from([ROBOT, SETUP, HOUSES, WORLD]), pick=st.randoms(), words=SWAPS)
@QUIET
def test_swapped_values_never_raise(
    tmp_path: Path, sample: str, pick: "object", words: list[str]
) -> None:
    pieces = sample.split('"')
    for word in words:
        at = pick.randrange(len(pieces))  # type: ignore[attr-defined]
        pieces[at] = word
    check_file(write(tmp_path, '"'.join(pieces), "swapped.xml"))
