"""Says whether a world holds its invariants, and what of the map is in it."""

import re

from autosim.world.compiled.compiled_world import CompiledWorld
from autosim.world.validation.soundness import InvariantMeasure, measures

_LISTED = 12
"""Number of reasons that are listed, the most frequent first: they fit on a screen; --json has
all."""

_ADVICE = (
    "repair    correct the ways in a map editor and compile again, or drive around the place: "
    "docs/your_town_in_five_minutes.md has the steps"
)
"""Advice to the user where a measure with a place is broken."""

_WAYS = re.compile(r"\bways? (\d+)(?: and (\d+))?")
"""Ids of ways in the text of a cause."""


def is_sound(world: CompiledWorld) -> bool:
    """Whether no invariant is broken."""
    return not any(each.is_broken for each in measures(world))


def check_record(world: CompiledWorld) -> dict[str, object]:
    """The invariants by name, what is broken, and what was used of the map and what not."""
    found = measures(world)
    values: dict[str, object] = {each.name: _plain(each) for each in found}
    return values | {
        "broken": [each.name for each in found if each.is_broken],
        "worst_places": {each.name: list(each.place) for each in found if each.place},
        "worst_causes": {each.name: each.cause for each in found if each.cause},
        "used": dict(world.used),
        "ignored": dict(world.ignored),
        "left_out": dict(world.left_out),
    }


def check_text(world: CompiledWorld) -> str:
    """The check as text: a line for each invariant, then the account of the map."""
    found = measures(world)
    lines = [line for each in found for line in (_line(each), *_links(each))]
    if any(each.is_broken and each.place for each in found):
        lines.append(_ADVICE)
    lines.append("used      " + ", ".join(f"{count} {name}" for name, count in world.used))
    lines += [f"ignored   {count} {name}" for name, count in world.ignored[:_LISTED]]
    if len(world.ignored) > _LISTED:
        rest = sum(count for _, count in world.ignored[_LISTED:])
        more = len(world.ignored) - _LISTED
        lines.append(f"ignored   {rest} for {more} other reasons (--json has them all)")
    lines += [f"left out  {count} {name}" for name, count in world.left_out]
    return "\n".join(lines)


def _plain(measure: InvariantMeasure) -> float | int | None:
    """Counts as whole numbers."""
    value = measure.value
    is_count = measure.limit == 0.0 and value is not None and value == int(value)
    return int(value) if is_count and value is not None else value


def _line(measure: InvariantMeasure) -> str:
    sign = "broken" if measure.is_broken else "ok"
    if measure.value is None:
        return f"{sign:<9} {measure.name} (nothing to measure)"
    bound = "≥" if measure.is_least else "≤"
    limit = f" (limit {bound} {measure.limit:g})" if measure.limit else ""
    return f"{sign:<9} {measure.name} {measure.value:.4g}{limit}{_where(measure)}"


def _where(measure: InvariantMeasure) -> str:
    """Position of the worst value, for a violated measure and for any that has one."""
    if measure.place is None or not (measure.is_broken or measure.limit) or not measure.value:
        return ""
    latitude, longitude = measure.place
    cause = f": {measure.cause}" if measure.cause else ""
    return f", worst at {latitude:.5f} {longitude:.5f}{cause}"


def _links(measure: InvariantMeasure) -> list[str]:
    """Addresses at OpenStreetMap of the ways and the place of a broken measure."""
    if not measure.is_broken or measure.place is None:
        return []
    latitude, longitude = measure.place
    ways = dict.fromkeys(
        number for found in _WAYS.finditer(measure.cause) for number in found.groups() if number
    )
    links = [f"https://www.openstreetmap.org/way/{number}" for number in ways]
    links.append(f"https://www.openstreetmap.org/edit#map=19/{latitude:.5f}/{longitude:.5f}")
    return [f"look      {link}" for link in links]
