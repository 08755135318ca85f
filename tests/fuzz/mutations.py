"""Changes of inputs that a fuzzer makes: of bytes, of lines of text and of XML trees."""

from collections.abc import Callable
from copy import deepcopy
from random import Random

from lxml import etree

MOST_BYTES = 200_000
"""Largest number of bytes of a changed input; larger ones only cost time."""

NUMBERS = (
    *("0", "-0.0", "1", "-1", "2", "7", "255", "65536", "2147483648", "-9223372036854775809"),
    *("1e-320", "1e-9", "0.5", "1e9", "1e308", "1e999", "-1e308", "nan", "inf", "-inf"),
    *("", " ", "0x10", "1_000", "1,5", "\u0663", "true", "false", "$a", "${1/0}", "-5 8"),
)
"""Texts that stand for numbers, or nearly do."""

_MUTATIONS_AT_ONCE = 4

Mutation = Callable[[bytes, bytes, Random], bytes]


def mutate(data: bytes, other: bytes, random: Random) -> bytes:
    """A changed copy of `data`.

    Args:
        data: input that is changed.
        other: another input of the same kind, parts of which are taken over.
        random: source of all choices.
    """
    for _ in range(random.randint(1, _MUTATIONS_AT_ONCE)):
        change = random.choice(_XML if data.lstrip()[:1] == b"<" else _BYTES)
        data = change(data, other, random)
    return data[:MOST_BYTES]


def change_bytes(data: bytes, other: bytes, random: Random) -> bytes:
    """Replaces, removes, inserts or repeats a few bytes."""
    at = random.randrange(len(data) + 1)
    length = min(1 << random.randrange(9), len(data) - at)
    kind = random.randrange(5)
    if kind == 0:
        return data[:at] + random.randbytes(length) + data[at + length :]
    if kind == 1:
        return data[:at] + data[at + length :]
    if kind == 2:
        return data[:at] + data[at : at + length] * 2 + data[at + length :]
    if kind == 3:
        begin = random.randrange(len(other) + 1)
        return data[:at] + other[begin : begin + length] + data[at:]
    extreme = random.choice((b"\x00", b"\xff", b"\x7f", b"\x80")) * random.choice((1, 2, 4, 8))
    return data[:at] + extreme + data[at + len(extreme) :]


def cut(data: bytes, other: bytes, random: Random) -> bytes:
    """The first part of an input, as a full disk leaves it."""
    return data[: random.randrange(len(data) + 1)]


def change_a_word(data: bytes, other: bytes, random: Random) -> bytes:
    """Replaces a word of a text by a number or by a word of the other text."""
    words = data.split(b" ")
    at = random.randrange(len(words))
    others = other.split()
    pick = random.choice(others) if others and random.random() < 0.3 else b""
    words[at] = pick or random.choice(NUMBERS).encode()
    return b" ".join(words)


def change_lines(data: bytes, other: bytes, random: Random) -> bytes:
    """Removes, repeats or swaps lines of a text."""
    lines = data.split(b"\n")
    first, second = random.randrange(len(lines)), random.randrange(len(lines))
    kind = random.randrange(3)
    if kind == 0:
        del lines[first]
    elif kind == 1:
        lines.insert(second, lines[first])
    else:
        lines[first], lines[second] = lines[second], lines[first]
    return b"\n".join(lines)


def change_xml(data: bytes, other: bytes, random: Random) -> bytes:
    """Changes attributes or elements of an XML tree; other bytes are changed as such."""
    try:
        root = etree.fromstring(data, _PARSER)
    except (etree.XMLSyntaxError, ValueError):
        return change_bytes(data, other, random)
    elements = [each for each in root.iter() if isinstance(each.tag, str)]
    chosen = random.choice(elements)
    if chosen.attrib and random.random() < 0.6:
        _change_attributes(chosen, random.choice(elements), random)
    else:
        _change_elements(chosen, random.choice(elements), other, random)
    return etree.tostring(root)


def _change_attributes(element: etree._Element, other: etree._Element, random: Random) -> None:
    name = random.choice(sorted(element.attrib))
    kind = random.randrange(5)
    if kind == 0:
        del element.attrib[name]
    elif kind == 1 and other.attrib:
        element.attrib[name] = other.attrib[random.choice(sorted(other.attrib))]
    elif kind == 2 and other.attrib:
        name = random.choice(sorted(other.attrib))
        element.attrib[name] = other.attrib[name]
    elif kind == 3:
        words: list[str] = str(element.attrib[name]).split()
        if words:
            words[random.randrange(len(words))] = random.choice(NUMBERS)
        element.attrib[name] = " ".join(words)
    else:
        element.attrib[name] = random.choice(NUMBERS)


def _change_elements(
    element: etree._Element, place: etree._Element, other: bytes, random: Random
) -> None:
    parent = element.getparent()
    kind = random.randrange(5)
    if parent is None:
        element.text = random.choice(NUMBERS)
    elif kind == 0:
        parent.remove(element)
    elif kind == 1:
        place.append(deepcopy(element))
    elif kind == 2:
        parent.insert(0, element)
    elif kind == 3:
        element.tag = place.tag
    else:
        try:
            donors = [
                each
                for each in etree.fromstring(other, _PARSER).iter()
                if isinstance(each.tag, str)
            ]
        except (etree.XMLSyntaxError, ValueError):
            return
        place.append(random.choice(donors))


_PARSER = etree.XMLParser(resolve_entities=False, no_network=True)
_BYTES: tuple[Mutation, ...] = (change_bytes, change_bytes, cut, change_a_word, change_lines)
_XML: tuple[Mutation, ...] = (*[change_xml] * 8, change_bytes, cut, change_a_word)
