"""Explanations of nodes and their values, as text and as JSON."""

from collections.abc import Iterator
from dataclasses import asdict, fields, is_dataclass
from pathlib import Path
from textwrap import wrap
from typing import Any

from autosim.config.noise_records import Noise
from autosim.model.tree import Access, Field, FieldType
from autosim.userprogram.session.node_explanations import ExplainedParameter, Explanation

_TITLE = 44
"""Characters of the left column at most: the names and ranges of most values."""

_WIDTH = 100
"""Characters of a line: those of a wide terminal."""

_ACCESSES = {
    Access.READ: "",
    Access.SET: "Any client may set these values.",
    Access.DRIVE: "Set by the robot's driver: its program or a person.",
}


def explanation_text(explanation: Explanation) -> str:
    """Name and kind, what it is, its parameters, and what it holds."""
    lines = [f"{explanation.name} [{explanation.kind}]"]
    lines += wrap(explanation.text, _WIDTH, initial_indent="  ", subsequent_indent="  ")
    rows = [(f"{each.name} = {_value_text(each)}", each.text) for each in explanation.parameters]
    if rows:
        lines += ["parameters", *_table(rows)]
    if explanation.fields:
        lines += [
            "values",
            *_table([(_field_title(each), each.meaning) for each in explanation.fields]),
        ]
    if _ACCESSES[explanation.access]:
        lines.append(_ACCESSES[explanation.access])
    return "\n".join(lines)


def explanation_record(explanation: Explanation) -> dict[str, object]:
    """The same, as JSON has it."""
    return {
        "name": explanation.name,
        "kind": explanation.kind,
        "text": explanation.text,
        "access": explanation.access.value,
        "parameters": [
            {"name": each.name, "value": _plain(each.value), "unit": each.unit, "text": each.text}
            for each in explanation.parameters
        ],
        "fields": [_field_record(each) for each in explanation.fields],
    }


def _field_record(field: Field) -> dict[str, object]:
    return {
        "name": field.name,
        "type": field.type.value,
        "shape": field.shape,
        "unit": field.unit,
        "columns": [{"name": each.name, "unit": each.unit} for each in field.columns],
        "limits": [field.limits.low, field.limits.high] if field.limits else None,
        "meaning": field.meaning,
    }


def _field_title(field: Field) -> str:
    """Name, how many numbers, unit and limits."""
    if field.is_list:
        columns = ", ".join(f"{each.name} [{each.unit}]" for each in field.columns)
        return f"{field.name}: at most {field.capacity} rows of {columns}"
    if field.type is FieldType.TEXT:
        return f"{field.name}: a text of at most {field.size} bytes"
    count = " × ".join(map(str, field.shape))
    title = f"{field.name} ({count})" if count else field.name
    if field.unit != "1":
        title += f" [{field.unit}]"
    return f"{title} in {field.limits}" if field.limits else title


def _table(rows: list[tuple[str, str]]) -> Iterator[str]:
    """Titles to the left, texts to the right of them, wrapped."""
    width = min(_TITLE, max(len(title) for title, _ in rows))
    for title, text in rows:
        begin = f"  {title:<{width}}  "
        yield from wrap(
            text or "-", _WIDTH, initial_indent=begin, subsequent_indent=" " * (width + 4)
        )


def _value_text(parameter: ExplainedParameter) -> str:
    text = _words(parameter.value)
    return f"{text} {parameter.unit}" if parameter.unit and parameter.value is not None else text


def _words(value: object) -> str:
    """A value as people write it."""
    match value:
        case None:
            return "none"
        case bool():
            return str(value).lower()
        case float():
            return f"{value:.6g}"
        case tuple():
            return "(" + ", ".join(map(_words, value)) + ")" if value else "none"
    if isinstance(value, Noise):
        return " ".join([type(value).__name__, *_said_of(value)])
    if is_dataclass(value) and not isinstance(value, type):
        return " ".join(_words(each) for each in asdict(value).values())
    return str(value)


def _said_of(noise: Noise) -> Iterator[str]:
    """Its parameters that are not as they are without being given."""
    for each in fields(noise):
        value = getattr(noise, each.name)
        if value != each.default:
            yield f"{each.name} {_words(value)}"


def _plain(value: object) -> Any:
    """A value as JSON has it."""
    if isinstance(value, tuple):
        return [_plain(each) for each in value]
    if is_dataclass(value) and not isinstance(value, type):
        plain = {name: _plain(each) for name, each in asdict(value).items()}
        return {"kind": type(value).__name__} | plain if isinstance(value, Noise) else plain
    return value.name if isinstance(value, Path) else value
