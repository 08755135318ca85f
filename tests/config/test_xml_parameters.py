"""A parameter is declared by a field; schema, reader and writer follow from it."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Literal

import pytest

from autosim.config.diagnostics import Diagnostics
from autosim.config.reading.blocks import Block
from autosim.config.reading.record_reader import read_record
from autosim.config.reading.sources import open_source, read_block
from autosim.config.schema import Element, Interval, Occurs, ValueType
from autosim.config.world_settings import (
    GraphicsDescription,
    PhysicsDescription,
    SkyDescription,
    TrafficDescription,
)
from autosim.config.xml_parameters import (
    ChildTag,
    ValueForm,
    attribute,
    attributes_of,
    child,
    children_of,
    parameters_of,
    part,
)
from autosim.config.xml_record_writer import written_attributes, written_children

_WIND = ChildTag("Wind", "How the wind blows.")


def _as_windy(before: Mapping[str, float]) -> float:
    return before["speed"] / 10.0


@dataclass(frozen=True, slots=True)
class Weather:
    """A record with each form of a parameter."""

    kind: Literal["dry", "wet"] = field(default="dry", metadata=attribute("kind", "Its kind."))
    seconds: float = field(
        default=0.5,
        metadata=attribute(
            "rate",
            "Its rate.",
            type=ValueType.INTEGER,
            form=ValueForm(read=lambda rate: 1.0 / rate, write=lambda seconds: round(1 / seconds)),
        ),
    )
    speed: float = field(
        default=1.0, metadata=part(_WIND, "speed", "Of the air.", unit="m/s", is_required=True)
    )
    gusts: float | None = field(default=None, metadata=part(_WIND, "gusts", "Of gusts."))
    is_calm: bool = field(default=True, metadata=child("Calm", "Whether waves are low."))
    waves: float = field(
        default=0.0,
        metadata=child("Waves", "Their height.", interval=Interval(0.0, 9.0), absent=_as_windy),
    )
    note: object = None


WEATHER = Element(
    "Weather", "The weather.", attributes_of(Weather), children_of(Weather), Occurs.ONCE
)


def block_of(text: str, folder: Path) -> Block:
    path = folder / "weather.xml"
    path.write_text(text)
    found = Diagnostics()
    source = open_source(path, found)
    block = read_block(source, WEATHER) if source else None
    assert block is not None, found.all
    assert not found.all
    return block


def written(weather: Weather) -> str:
    start = " ".join(["<Weather", *written_attributes(weather)])
    return f"{start}>{''.join(written_children(weather))}</Weather>"


def test_the_schema_has_all_that_the_fields_say():
    kind, rate = WEATHER.attributes
    assert (kind.type, kind.allowed, kind.default) == (ValueType.TEXT, ("dry", "wet"), "dry")
    assert (rate.name, rate.type, rate.default) == ("rate", ValueType.INTEGER, 2)
    wind, calm, waves = WEATHER.children
    assert [each.name for each in wind.attributes] == ["speed", "gusts"]
    speed, gusts = wind.attributes
    assert (speed.unit, speed.default, speed.required) == ("m/s", 1.0, True)
    assert (gusts.default, gusts.required) == (None, False)
    assert calm.attribute("value").type is ValueType.BOOLEAN
    assert waves.attribute("value").interval == Interval(0.0, 9.0)
    assert waves.attribute("value").default is None
    assert len(parameters_of(Weather)) == 6, "a field without a declaration is not in the file"


def test_what_a_file_leaves_open_is_usual(tmp_path):
    assert read_record(Weather, block_of("<Weather/>", tmp_path)) == Weather(waves=0.1)


@pytest.mark.parametrize(
    "weather",
    [
        Weather(),
        Weather("wet", 0.1, 7.0, 9.0, False, 2.0),
        Weather("wet", gusts=0.0, waves=0.25),
    ],
)
def test_what_is_written_is_read(weather: Weather, tmp_path):
    block = block_of(written(weather), tmp_path)
    assert read_record(Weather, block, note="more") == replace(weather, note="more")


def test_what_is_none_or_usual_may_be_left_out():
    assert list(written_children(Weather())) == [
        '<Wind speed="1.0"/>',
        '<Calm value="true"/>',
        '<Waves value="0.0"/>',
    ]
    assert written_attributes(Weather(seconds=0.25), with_usual=False) == ['rate="4"']


def test_an_element_without_what_it_requires_is_not_written():
    assert next(iter(written_children(SkyDescription(utc_offset=2.0)))).startswith("<Date")


@pytest.mark.parametrize(
    ("record", "others"),
    [
        (SkyDescription, set()),
        (GraphicsDescription, {"sky"}),
        (PhysicsDescription, set()),
        (TrafficDescription, {"shares", "demand", "scenario"}),
    ],
)
def test_all_settings_of_a_world_are_declared_by_their_fields(record: type, others: set[str]):
    declared = {each.field for each in parameters_of(record)}
    assert {each.name for each in fields(record)} == declared | others
