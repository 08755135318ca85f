"""Names that files use without a declaration: physical types, units, and types of the domain model.

Source: ASAM OpenSCENARIO DSL 2.1.0, standard library.
"""

BASE_UNITS = ("kg", "m", "s", "A", "K", "mol", "cd", "rad")
"""Base units, in the order of the exponents of a quantity."""

Exponents = tuple[int, ...]

NO_UNIT: Exponents = (0,) * len(BASE_UNITS)
"""Exponents of a number."""


def exponents_of(stated: tuple[tuple[str, int], ...]) -> Exponents:
    """The exponents of all base units, of those that are stated."""
    found = dict(stated)
    return tuple(found.get(each, 0) for each in BASE_UNITS)


_TYPES: dict[str, tuple[str, dict[str, float]]] = {
    "time": (
        "s1",
        {
            **dict.fromkeys(("s", "sec", "second"), 1.0),
            **dict.fromkeys(("ms", "millisecond"), 0.001),
            **dict.fromkeys(("min", "minute"), 60.0),
            **dict.fromkeys(("h", "hour"), 3600.0),
        },
    ),
    "length": (
        "m1",
        {
            **dict.fromkeys(("m", "meter"), 1.0),
            **dict.fromkeys(("cm", "centimeter"), 0.01),
            **dict.fromkeys(("mm", "millimeter"), 0.001),
            **dict.fromkeys(("km", "kilometer"), 1000.0),
            **dict.fromkeys(("mi", "mile"), 1609.344),
            "inch": 0.0254,
            "feet": 0.3048,
        },
    ),
    "speed": (
        "m1 s-1",
        {
            **dict.fromkeys(("mps", "meter_per_second"), 1.0),
            **dict.fromkeys(("kmph", "kph", "kilometer_per_hour"), 1.0 / 3.6),
            **dict.fromkeys(("mph", "miph", "mile_per_hour"), 0.44704),
        },
    ),
    "acceleration": (
        "m1 s-2",
        {
            **dict.fromkeys(("mpss", "mpsps", "meter_per_sec_sqr"), 1.0),
            **dict.fromkeys(("kphps", "kmphps", "kilometer_per_hour_per_sec"), 1.0 / 3.6),
        },
    ),
    "jerk": ("m1 s-3", {"mpspsps": 1.0, "meter_per_sec_cubed": 1.0}),
    "angle": (
        "rad1",
        {
            **dict.fromkeys(("rad", "radian"), 1.0),
            **dict.fromkeys(("deg", "degree"), 0.017453292519943295),
        },
    ),
    "angular_rate": (
        "rad1 s-1",
        {"degree_per_second": 0.017453292519943295, "radian_per_second": 1.0},
    ),
    "mass": ("kg1", {"kg": 1.0, "kilogram": 1.0, "g": 0.001, "gram": 0.001, "ton": 1000.0}),
    "temperature": ("K1", {"K": 1.0, "kelvin": 1.0}),
    "pressure": ("kg1 m-1 s-2", {"pascal": 1.0, "Pa": 1.0, "hPa": 100.0}),
    "luminous_flux": ("cd1 rad2", {"lm": 1.0, "lumen": 1.0}),
    "luminous_intensity": ("cd1", {"cd": 1.0, "candela": 1.0}),
    "illuminance": ("cd1 rad2 m-2", {"lx": 1.0, "lux": 1.0}),
}


def _exponents(text: str) -> Exponents:
    pairs = []
    for each in text.split():
        name = each.rstrip("-0123456789")
        pairs.append((name, int(each[len(name) :])))
    return exponents_of(tuple(pairs))


PHYSICAL_TYPES: dict[str, Exponents] = {
    **{name: _exponents(text) for name, (text, _) in _TYPES.items()},
    "distance": _exponents("m1"),
    "velocity": _exponents("m1 s-1"),
}
"""Physical types by name: the exponents of their base units."""

UNITS: dict[str, tuple[Exponents, float, float]] = {
    unit: (_exponents(text), factor, 0.0)
    for text, units in _TYPES.values()
    for unit, factor in units.items()
}
"""Units by name: exponents, factor and offset."""

PRIMITIVES = frozenset(("int", "uint", "float", "bool", "string"))
"""Types that are built in."""

VEHICLES: dict[str, str] = {
    "vehicle": "car",
    "car": "car",
    "van": "van",
    "truck": "truck",
    "trailer": "trailer",
    "bus": "bus",
    "motorcycle": "motorbike",
    "motorbike": "motorbike",
    "bicycle": "bicycle",
    "emergency_vehicle": "car",
    "movable_object": "car",
}
"""Actors that drive: the category of vehicle of each."""

PEOPLE = frozenset(("person", "pedestrian", "human"))
"""Actors that walk."""

VEHICLE_BASES = ("vehicle", "traffic_participant", "movable_object", "physical_object")
"""Types that all vehicles inherit from, the nearest first."""

PERSON_BASES = ("person", *VEHICLE_BASES[1:])
"""Types that all people inherit from, the nearest first."""

DOMAIN_TYPES = frozenset(
    (
        "physical_object",
        "stationary_object",
        "animal",
        "traffic_participant",
        "osc_actor",
        "environment",
        "map",
        "path",
        "route",
        "route_point",
        "route_element",
        "path_point",
        "trajectory",
        "trajectory_point",
        "position_3d",
        "pose_3d",
        "orientation_3d",
        "odr_point",
        "xyz_point",
        "compound_lane",
        "lane",
        "lane_section",
        "road",
        "crossing",
        "junction",
        "traffic_light",
        "axle",
        "bounding_box",
        "weather",
        "air",
        "rain",
        "snow",
        "wind",
        "fog",
        "cloud_cover",
        "celestial_light_source",
        "color",
        "at",
        "side",
        "direction",
        "directionality",
        "lane_type",
        "lane_use",
        "driving_rule",
        "distance_direction",
        "lat_measure_by",
        "line",
        "side_left_right",
        "av_side",
        "gap_direction",
    )
)
"""Other types of the domain model."""
