"""Reads entities, controllers, environments and lights."""

from autosim.openscenario.reading.catalogs import resolve_reference
from autosim.openscenario.reading.position_reader import declared
from autosim.openscenario.reading.xosc_elements import XoscElement
from autosim.openscenario.records.entity_records import (
    Controller,
    Entity,
    EntityBox,
    EntitySelection,
    Environment,
    Performance,
)

_PERSON = EntityBox((0.06, 0.0, 0.923), 0.5, 0.6, 1.8)
_CAR = EntityBox((1.4, 0.0, 0.75), 4.5, 1.8, 1.5)

_HEAVIEST = 50.0
"""Precipitation [mm/h] of the intensity 1 of version 1.0."""

_DESCRIPTIONS = ("Vehicle", "Pedestrian", "MiscObject", "ExternalObjectReference")


def read_entity(element: XoscElement) -> Entity:
    """The entity of a <ScenarioObject>."""
    name = element.text("name")
    reference = element.child("CatalogReference")
    kind = (
        element.need(*_DESCRIPTIONS)
        if reference is None
        else resolve_reference(reference, *_DESCRIPTIONS)
    )
    kind = declared(kind)
    controllers = tuple(
        controller
        for each in element.children("ObjectController")
        for controller in read_controllers(each)
    )
    kind.accept("Properties", "Axles", "LicensePlates", "Role", "HeadlightProperties")
    if kind.tag == "ExternalObjectReference":
        return Entity(name, "external", "car", kind.text("name", ""), _CAR, line=element.line)
    box = _box(kind, _PERSON if kind.tag == "Pedestrian" else _CAR)
    model = kind.text("name", kind.text("model", ""))
    if kind.tag == "Pedestrian":
        category = kind.text("pedestrianCategory", "pedestrian")
        return Entity(
            name, "pedestrian", category, model, box, controllers=controllers, line=element.line
        )
    if kind.tag == "MiscObject":
        category = kind.text("miscObjectCategory", "none")
        return Entity(
            name, "object", category, model, box, controllers=controllers, line=element.line
        )
    hitch, coupler = kind.child("TrailerHitch"), kind.child("TrailerCoupler")
    return Entity(
        name,
        "vehicle",
        kind.text("vehicleCategory", "car"),
        model,
        box,
        _performance(kind),
        _wheelbase(kind),
        controllers,
        None if hitch is None else hitch.number("dx", 0.0),
        None if coupler is None else coupler.number("dx", 0.0),
        _trailer(kind),
        element.line,
    )


def _trailer(kind: XoscElement) -> str:
    """The name of the entity that a vehicle pulls; its description is that of an entity."""
    trailer = kind.child("Trailer")
    if trailer is None:
        return ""
    reference = trailer.child("TrailerRef")
    if reference is not None:
        return reference.text("entityRef")
    trailer.skip()
    return ""


def _box(kind: XoscElement, default: EntityBox) -> EntityBox:
    found = kind.child("BoundingBox")
    if found is None:
        return default
    center, sizes = found.need("Center"), found.need("Dimensions")
    at = center.number("x"), center.number("y"), center.number("z")
    return EntityBox(at, sizes.number("length"), sizes.number("width"), sizes.number("height"))


def _performance(kind: XoscElement) -> Performance:
    found = kind.child("Performance")
    if found is None:
        return Performance()
    return Performance(
        found.number("maxSpeed"),
        found.number("maxAcceleration"),
        found.number("maxDeceleration"),
    )


def _wheelbase(kind: XoscElement) -> float:
    axles = kind.child("Axles")
    front = None if axles is None else axles.child("FrontAxle")
    return 2.8 if front is None else front.number("positionX", 2.8)


def read_controllers(element: XoscElement) -> list[Controller]:
    """The controllers in an element: stated there or in a catalog."""
    found = [_controller(each) for each in element.children("Controller")]
    for nested in element.children("ObjectController"):
        found += read_controllers(nested)
    for each in element.children("CatalogReference"):
        found.append(_controller(resolve_reference(each, "Controller")))
    return found


def _controller(element: XoscElement) -> Controller:
    element = declared(element)
    properties = element.child("Properties")
    rows = [] if properties is None else properties.children("Property")
    if properties is not None:
        properties.accept("File", "CustomContent")
    name = element.text("name", "")
    return Controller(name, tuple((row.text("name"), row.text("value", "")) for row in rows))


def read_selection(element: XoscElement) -> EntitySelection:
    """The group of an <EntitySelection>."""
    members = element.need("Members")
    names = tuple(each.text("entityRef") for each in members.children("EntityRef"))
    kinds = tuple(
        each.text("objectType", each.text("type", "vehicle")) for each in members.children("ByType")
    )
    return EntitySelection(element.text("name"), names, kinds)


def read_environment_ref(element: XoscElement) -> Environment:
    """The environment in an element: stated there or in a catalog."""
    return element.pick(
        {
            "Environment": _environment,
            "CatalogReference": lambda each: _environment(resolve_reference(each, "Environment")),
        }
    )


def _environment(element: XoscElement) -> Environment:
    element = declared(element)
    time, road = element.child("TimeOfDay"), element.child("RoadCondition")
    weather = element.child("Weather")
    if road is not None:
        road.accept("Properties")
    friction = None if road is None else road.maybe("frictionScaleFactor")
    name = element.text("name", "")
    when = None if time is None else time.text("dateTime")
    if time is not None:
        time.flag("animation", default=False)
    if weather is None:
        return Environment(name, when, friction)
    weather.accept("DomeImage")
    sun, fog, wind = weather.child("Sun"), weather.child("Fog"), weather.child("Wind")
    rain = weather.child("Precipitation")
    if fog is not None:
        fog.accept("BoundingBox")
    height = None
    if sun is not None:
        light = sun.number("illuminance", sun.number("intensity", 0.0))
        height = sun.number("elevation", 0.0), sun.number("azimuth", 0.0), light
    return Environment(
        name,
        when,
        friction,
        height,
        None
        if rain is None
        # Version 1.0 states a share; later ones state mm/h.
        else rain.number("precipitationIntensity", _HEAVIEST * rain.number("intensity", 0.0)),
        "" if rain is None else rain.text("precipitationType", ""),
        None if fog is None else fog.maybe("visualRange"),
        None if wind is None else (wind.number("direction", 0.0), wind.number("speed", 0.0)),
        weather.maybe("temperature"),
        weather.text("fractionalCloudCover", weather.text("cloudState", "")),
    )
