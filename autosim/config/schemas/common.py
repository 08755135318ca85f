"""Elements that several kinds of files share, and short ways to describe parameters."""

from autosim.config.schema import EVERYDAY, Attribute, Element, Interval, Occurs, Value, ValueType

POSITIVE_LENGTH = Interval(0.001, 1000.0)
NOT_NEGATIVE = Interval(0.0, 1e7)


def name_of(what: str, *, required: bool = True) -> Attribute:
    """The `name` attribute of a block."""
    return Attribute("name", f"Name of {what}.", ValueType.NAME, required=required)


def section_name() -> Attribute:
    """The `name` attribute of a block that nothing refers to."""
    return Attribute("name", "A label; nothing refers to it.", ValueType.TEXT)


def parameter(
    name: str,
    description: str,
    *,
    unit: str = "",
    default: Value | None = None,
    required: bool = False,
    interval: Interval = EVERYDAY,
    type: ValueType = ValueType.REAL,  # noqa: A002 -- the word of the schema
) -> Element:
    """An element with the one attribute `value`."""
    value = Attribute("value", "", type, unit, default, True, interval)
    return Element(name, description, (value,), occurs=_occurs(required))


def switch(name: str, description: str, *, default: bool = False) -> Element:
    """An element whose `value` is true or false."""
    return parameter(name, description, default=default, type=ValueType.BOOLEAN)


def reference(name: str, description: str) -> Element:
    """A required element that names another block."""
    attribute = Attribute("name", "", ValueType.NAME, required=True)
    return Element(name, description, (attribute,), occurs=Occurs.ONCE)


def vector(
    name: str,
    description: str,
    *,
    unit: str = "m",
    default: tuple[float, float, float] | None = None,
    required: bool = False,
    interval: Interval = EVERYDAY,
) -> Element:
    """An element with x (right), y (up), z (forward)."""
    values = default or (None, None, None)
    axes = zip("xyz", ("right", "up", "forward"), values, strict=True)
    attributes = tuple(
        Attribute(
            axis,
            f"To the {side}." if side == "right" else f"{side.capitalize()}.",
            unit=unit,
            default=value,
            required=True,
            interval=interval,
        )
        for axis, side, value in axes
    )
    return Element(name, description, attributes, occurs=_occurs(required))


def direction(
    name: str,
    description: str,
    *,
    default: tuple[float, float, float] | None = None,
) -> Element:
    """A vector whose length does not matter, but which must not be zero."""
    plain = vector(name, description, unit="", default=default, required=default is None)
    return Element(name, description, plain.attributes, occurs=plain.occurs, is_direction=True)


def choice(name: str, description: str, allowed: tuple[str, ...]) -> Element:
    """An element with the one attribute `name`, the first of `allowed` when not given."""
    attribute = Attribute(
        "name", "", ValueType.TEXT, default=allowed[0], required=True, allowed=allowed
    )
    return Element(name, description, (attribute,))


def colour(description: str, default: tuple[float, float, float]) -> Element:
    """An element with a colour, as shown on a screen (sRGB)."""
    shares = zip(("red", "green", "blue"), default, strict=True)
    return Element(
        "Colour",
        description,
        tuple(
            Attribute(name, "", default=share, required=True, interval=Interval(0.0, 1.0))
            for name, share in shares
        ),
    )


def body_mass() -> Element:
    """The mass of a body."""
    return parameter("Mass", "Mass.", unit="kg", required=True, interval=Interval(0.001, 1e6))


def body_motion() -> Element:
    """The element that says how a body moves."""
    return choice(
        "Motion",
        "`dynamic`: by forces; `static`: not at all; `kinematic`: as it is commanded, and nothing "
        "in its way holds it up.",
        ("dynamic", "static", "kinematic"),
    )


def body_friction() -> Element:
    """The friction of a body."""
    return parameter(
        "Friction",
        "Coefficient of friction against the ground; between two bodies the product of both.",
        default=0.5,
        interval=Interval(0.0, 10.0),
    )


def body_restitution() -> Element:
    """The element that says how a body bounces."""
    return parameter(
        "Restitution",
        "Share of its speed with which it bounces back from the ground; between two bodies the "
        "product of both.",
        default=0.0,
        interval=Interval(0.0, 1.0),
    )


def path_of(name: str, description: str, *, required: bool = False) -> Element:
    """An element with the one attribute `path`."""
    path = Attribute("path", "", ValueType.PATH, required=True)
    return Element(name, description, (path,), occurs=_occurs(required))


def model(name: str, description: str, *, required: bool = False) -> Element:
    """The graphics model of a part, wheel or house."""
    path = Attribute(
        "path",
        "Folder that holds `LOD0/model.*` (and LOD1, … if there are).",
        ValueType.PATH,
        required=True,
    )
    extension = Attribute(
        "type", "Extension of the model's file, a hint.", ValueType.TEXT, default=""
    )
    return Element(name, description, (path, extension), occurs=_occurs(required))


def _occurs(required: bool) -> Occurs:
    return Occurs.ONCE if required else Occurs.OPTIONAL
