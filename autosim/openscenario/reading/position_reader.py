"""Reads positions, orientations, routes and trajectories."""

import math

from autosim.openscenario.reading.catalogs import resolve_reference
from autosim.openscenario.reading.xosc_elements import XoscElement, read_each
from autosim.openscenario.records.position_records import (
    ClothoidSegment,
    GeoPoint,
    LanePoint,
    Orientation,
    Position,
    RelativePoint,
    RoadPoint,
    RoutePoint,
    TrajectoryPoint,
    WorldPoint,
    XoscRoute,
    XoscTrajectory,
)


def read_position(element: XoscElement) -> Position:
    """The position in an element such as <Position>."""
    return element.pick(
        {
            "WorldPosition": _world,
            "RelativeWorldPosition": lambda each: _relative(each, "world"),
            "RelativeObjectPosition": lambda each: _relative(each, "object"),
            "RoadPosition": _road,
            "RelativeRoadPosition": _relative_road,
            "LanePosition": _lane,
            "RelativeLanePosition": _relative_lane,
            "RoutePosition": _route_position,
            "GeoPosition": _geo,
            "TrajectoryPosition": _on_trajectory,
        }
    )


def read_orientation(element: XoscElement) -> Orientation:
    """The <Orientation> of an element; without one it is that of the road or the entity."""
    found = element.child("Orientation")
    if found is None:
        return Orientation(is_relative=True)
    is_relative = found.choice("type", ("absolute", "relative"), "absolute") == "relative"
    return Orientation(found.maybe("h"), found.maybe("p"), found.maybe("r"), is_relative)


def _world(element: XoscElement) -> Position:
    angles = element.maybe("h"), element.maybe("p"), element.maybe("r")
    orientation = Orientation(*angles)
    height = None if element.find("z") is None else element.finite("z")
    return WorldPoint(element.finite("x"), element.finite("y"), height, orientation)


def _relative(element: XoscElement, kind: str) -> Position:
    return RelativePoint(
        kind,
        element.text("entityRef"),
        element.finite("dx"),
        element.finite("dy"),
        element.finite("dz", 0.0),
        orientation=read_orientation(element),
    )


def _road(element: XoscElement) -> Position:
    s, t = element.finite("s"), element.finite("t", 0.0)
    return RoadPoint(element.text("roadId"), s, t, read_orientation(element))


def _relative_road(element: XoscElement) -> Position:
    entity = element.text("entityRef")
    ds, dt = element.finite("ds"), element.finite("dt", 0.0)
    return RelativePoint("road", entity, ds, dt, orientation=read_orientation(element))


def _lane(element: XoscElement) -> Position:
    return LanePoint(
        element.text("roadId"),
        element.whole("laneId"),
        element.finite("s"),
        element.finite("offset", 0.0),
        read_orientation(element),
    )


def _relative_lane(element: XoscElement) -> Position:
    along = element.maybe("dsLane")
    ds = element.finite("ds", 0.0) if along is None else along
    return RelativePoint(
        "lane",
        element.text("entityRef"),
        ds,
        element.finite("offset", 0.0),
        lanes=element.whole("dLane", 0),
        is_along_lane=along is not None,
        orientation=read_orientation(element),
    )


def _geo(element: XoscElement) -> Position:
    degrees = element.maybe("latitudeDeg"), element.maybe("longitudeDeg")
    if degrees[0] is not None and degrees[1] is not None:
        latitude, longitude = math.radians(degrees[0]), math.radians(degrees[1])
    else:
        latitude, longitude = element.finite("latitude"), element.finite("longitude")
    height = element.finite("altitude", element.finite("height", 0.0))
    return GeoPoint(latitude, longitude, height, read_orientation(element))


def _route_position(element: XoscElement) -> Position:
    route = read_route_ref(element.need("RouteRef"))
    orientation = read_orientation(element)
    where = element.need("InRoutePosition")
    on_entity = where.child("FromCurrentEntity")
    if on_entity is not None:
        return RoutePoint(route, "entity", on_entity.text("entityRef"), orientation=orientation)
    on_road = where.child("FromRoadCoordinates")
    if on_road is not None:
        s, t = on_road.finite("pathS"), on_road.finite("t", 0.0)
        return RoutePoint(route, "road", s=s, t=t, orientation=orientation)
    on_lane = where.need("FromLaneCoordinates")
    s, t = on_lane.finite("pathS"), on_lane.finite("laneOffset", 0.0)
    lane = on_lane.whole("laneId")
    return RoutePoint(route, "lane", s=s, t=t, lane=lane, orientation=orientation)


def _on_trajectory(element: XoscElement) -> Position:
    trajectory = read_trajectory_ref(element.need("TrajectoryRef"))
    s, t = element.finite("s"), element.finite("t", 0.0)
    return TrajectoryPoint(trajectory, s, t, read_orientation(element))


def read_route_ref(element: XoscElement) -> XoscRoute:
    """The route in an element: stated there or in a catalog."""
    return element.pick({"Route": read_route, "CatalogReference": _catalog_route})


def _catalog_route(element: XoscElement) -> XoscRoute:
    return read_route(resolve_reference(element, "Route"))


def read_route(element: XoscElement) -> XoscRoute:
    """The route of a <Route>."""
    element = declared(element)
    waypoints = element.children("Waypoint")
    if len(waypoints) < 2:
        raise element.fail("a route has two waypoints or more")
    positions = tuple(read_position(each.need("Position")) for each in waypoints)
    shortest = tuple(each.text("routeStrategy", "shortest") != "random" for each in waypoints)
    closed = element.flag("closed", default=False)
    return XoscRoute(element.label("name", ""), positions, shortest, closed)


def declared(element: XoscElement) -> XoscElement:
    """The element with its <ParameterDeclarations> added where no value is given."""
    declarations = element.child("ParameterDeclarations")
    if declarations is None:
        return element
    values = dict(element.values)
    for each in declarations.children("ParameterDeclaration"):
        each.skip()
        values.setdefault(each.reference("name"), each.text("value", ""))
    return element.with_values(values)


def read_trajectory_ref(element: XoscElement) -> XoscTrajectory:
    """The trajectory in an element: stated there or in a catalog."""
    return element.pick({"Trajectory": read_trajectory, "CatalogReference": _catalog_trajectory})


def _catalog_trajectory(element: XoscElement) -> XoscTrajectory:
    return read_trajectory(resolve_reference(element, "Trajectory"))


def read_trajectory(element: XoscElement) -> XoscTrajectory:
    """The trajectory of a <Trajectory>."""
    element = declared(element)
    name, closed = element.label("name", ""), element.flag("closed", default=False)
    shape = element.need("Shape")

    def polyline(each: XoscElement) -> XoscTrajectory:
        vertices = each.children("Vertex")
        if len(vertices) < 2:
            raise each.fail("a polyline has two vertices or more")
        positions = tuple(read_position(vertex.need("Position")) for vertex in vertices)
        times = tuple(vertex.maybe("time") for vertex in vertices)
        return XoscTrajectory(name, "polyline", closed, positions, times)

    def clothoid(each: XoscElement) -> XoscTrajectory:
        start = read_position(each.need("Position"))
        curvature, length = each.number("curvature"), each.number("length")
        change = each.maybe("curvaturePrime")
        rate = each.number("curvatureDot", 0.0) if change is None else change
        end = curvature + rate * length
        times = each.maybe("startTime"), each.maybe("stopTime")
        segment = ClothoidSegment(curvature, end, length, None, *times)
        return XoscTrajectory(name, "clothoid", closed, (start,), segments=(segment,))

    def spline(each: XoscElement) -> XoscTrajectory:
        segments = read_each(each.children("Segment", "ClothoidSplineSegment"), _segment)
        if not segments:
            raise each.fail("has no <Segment>")
        end = each.maybe("timeEnd")
        if end is not None:
            segments = (*segments[:-1], _ending_at(segments[-1], end))
        start = segments[0].start
        places = () if start is None else (start,)
        return XoscTrajectory(name, "spline", closed, places, segments=segments)

    def nurbs(each: XoscElement) -> XoscTrajectory:
        points = each.children("ControlPoint")
        order = each.whole("order")
        knots = tuple(knot.number("value") for knot in each.children("Knot"))
        if len(points) < order or order < 2:
            raise each.fail(f"{len(points)} control points are too few for the order {order}")
        if len(knots) != len(points) + order:
            raise each.fail(f"expected {len(points) + order} knots, not {len(knots)}")
        positions = tuple(read_position(point.need("Position")) for point in points)
        times = tuple(point.maybe("time") for point in points)
        weights = tuple(point.number("weight", 1.0) for point in points)
        return XoscTrajectory(
            name, "nurbs", closed, positions, times, order=order, weights=weights, knots=knots
        )

    return shape.pick(
        {"Polyline": polyline, "Clothoid": clothoid, "ClothoidSpline": spline, "Nurbs": nurbs}
    )


def _ending_at(segment: ClothoidSegment, end: float) -> ClothoidSegment:
    """The segment, driven until the time `end` [s]."""
    return ClothoidSegment(
        segment.curvature_start,
        segment.curvature_end,
        segment.length,
        segment.start,
        segment.time_start,
        end,
    )


def _segment(element: XoscElement) -> ClothoidSegment:
    start = element.child("PositionStart")
    position = None if start is None else read_position(start)
    curvatures = element.finite("curvatureStart"), element.finite("curvatureEnd")
    length = element.finite("length")
    if length <= 0.0:
        raise element.fail("a segment has a length above 0")
    return ClothoidSegment(*curvatures, length, position, element.maybe("timeStart"))
