"""Writes the reference of all configuration elements from their schemas.

python -m autosim.loading.reference > docs/configuration.md
"""

from autosim.config.schema import EVERYDAY, Attribute, Element, Occurs, ValueType
from autosim.config.schemas.house_list import HOUSE_LIST
from autosim.config.schemas.map_setup import MAP_SETUP
from autosim.config.schemas.noises import ELEMENTS
from autosim.config.schemas.study import STUDY
from autosim.loading.robots.robot_schema import ROBOT
from autosim.loading.world_schema import WORLD

FILES = (WORLD, ROBOT, MAP_SETUP, HOUSE_LIST, STUDY)
"""The root elements of all kinds of configuration files."""

_INTRODUCTION = """\
# Configuration files

Made from the descriptions in `autosim/config/schemas/` and `autosim/kinds/` by
`python -m autosim.loading.reference`; do not edit by hand.

All files are XML 1.0 in UTF-8. Sections group blocks; a block has a `name` and parameters; a \
parameter is an element with attributes. Metres, kilograms, seconds, newtons, radians, unless a \
unit is given. Axes of robot files: x right, y up, z forward; of world files: x east, y up, z \
north. `autosim check FILE…` names all faults of a file with their lines. Unknown elements and \
attributes are ignored with a warning, but for parts and devices: a robot without its propeller is \
not that robot, so those of an unknown kind are errors, unless its file says \
`<Robot unknown="ignore">`, which suits files from other versions and simulators.

Paths are relative, with `/`, and are looked up in the folder of the file given on the command \
line, in the folders of `$AUTOSIM_PATH`, in the working directory, in the checkout, and among the \
files that come with AutoSim. They never lead out of these folders.

A mark says how often an element stands in its parent, or an attribute in its element: without \
one exactly once, ? at most once, * any number of times, + once or more. The default holds where \
the element or the attribute is left out.
"""

_ON_NOISE = """\
The children of a device that say what is wrong with its values: any number of them, which act in \
the order of the file, each on what the one before has left. Of an actuator they act on the \
commands. `Dropout`, `Delay` and `Hold` say when values arrive, and hold for all values of a \
device at once. Every source of every device has a random stream of its own, which depends on the \
seed of the run: another device, or another source behind it, changes none of its numbers.
"""

_MARKS = {Occurs.ONCE: "", Occurs.OPTIONAL: "?", Occurs.ANY: "*", Occurs.SOME: "+"}
_TABLE_HEAD = [
    "| element | attribute | type | unit | default | allowed | meaning |",
    "|---|---|---|---|---|---|---|",
]


def markdown() -> str:
    """The reference of all files, as Markdown."""
    return "\n".join([_INTRODUCTION, *(_file(root) for root in FILES), *_noises()])


def _noises() -> list[str]:
    rows = [row for each in ELEMENTS for row in _rows(each)]
    return ["## Noise", "", _ON_NOISE, *_TABLE_HEAD, *rows, ""]


def _file(root: Element) -> str:
    return "\n".join([f"## `<{root.name}>`", "", root.description, "", *tables_of(root, 3)])


def tables_of(element: Element, level: int) -> list[str]:
    """Lines that describe what stands in an element, below a heading of the level above."""
    children = _children(element)
    rows = [_row("", each, each.description) for each in element.attributes]
    noises = [each for each in children if each in ELEMENTS]
    for child in children:
        if not _children(child) and child not in noises:
            rows += _rows(child)
    if noises:
        names = "all" if len(noises) == len(ELEMENTS) else ", ".join(f"`{n.name}`" for n in noises)
        rows.append(row_of("*noise* *", "", "", "", "", "", f"See [Noise](#noise): {names}."))
    lines = [*_TABLE_HEAD, *rows, ""] if rows else []
    for child in children:
        if _children(child):
            heading = f"{'#' * min(level, 6)} `<{child.name}>`{_MARKS[child.occurs]}"
            lines += [heading, "", child.description, "", *tables_of(child, level + 1)]
    return lines


def _children(element: Element) -> tuple[Element, ...]:
    opened = (element.open_children.element,) if element.open_children else ()
    return (*element.children, *opened)


def _rows(element: Element) -> list[str]:
    title = f"`{element.name}`{_MARKS[element.occurs]}"
    if [each.name for each in element.attributes] == ["x", "y", "z"] and _is_uniform(element):
        return [_vector_row(title, element)]
    first, *others = element.attributes
    description = f"{element.description} {first.description}".strip()
    rows = [_row(title, first, description)]
    return rows + [_row("", each, each.description) for each in others]


def _is_uniform(element: Element) -> bool:
    return len({(each.unit, each.interval, each.required) for each in element.attributes}) == 1


def _vector_row(title: str, element: Element) -> str:
    first = element.attributes[0]
    defaults = [_default(each) for each in element.attributes]
    allowed = "not all zero" if element.is_direction else _allowed(first)
    default = ", ".join(defaults) if all(defaults) else ""
    names = " ".join(f"`{each.name}`" for each in element.attributes)
    return row_of(title, names, first.type.value, first.unit, default, allowed, element.description)


def _row(title: str, attribute: Attribute, description: str) -> str:
    mark = "" if attribute.required else "?"
    return row_of(
        title,
        f"`{attribute.name}`{mark}",
        attribute.type.value,
        attribute.unit,
        _default(attribute),
        _allowed(attribute),
        description,
    )


def row_of(*cells: str) -> str:
    """A row of a table."""
    return "| " + " | ".join(each.replace("|", "\\|") for each in cells) + " |"


def _default(attribute: Attribute) -> str:
    value = attribute.default
    if isinstance(value, bool):
        return "true" if value else "false"
    return f"{value:g}" if isinstance(value, float | int) else value or ""


def _allowed(attribute: Attribute) -> str:
    if attribute.allowed:
        return ", ".join(f"`{each}`" for each in attribute.allowed)
    if attribute.type in (ValueType.REAL, ValueType.INTEGER) and attribute.interval != EVERYDAY:
        return str(attribute.interval)
    return ""


if __name__ == "__main__":
    print(markdown(), end="")
