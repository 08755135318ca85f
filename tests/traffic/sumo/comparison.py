"""The same demand in SUMO on our network of a map, and on netconvert's own import of that map."""

import gzip
import random
import re
import subprocess
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import astuple, dataclass
from pathlib import Path

import numpy as np
import osmium
from lxml import etree

from autosim.traffic.sumo.netconvert import find_netconvert
from autosim.traffic.sumo.network_file import sumo_file
from autosim.world.compiled.compiled_world import CompiledWorld

VEHICLES, LAST_DEPARTURE, END = 200, 600, 1800
"""Number of vehicles, and times [s] of the last departure and of the end of a run."""

LEAST_DISTANCE = 150.0
"""Distance [m] between the ends of a trip."""


@dataclass(frozen=True)
class Result:
    """Results of one or several demands on a network.

    Attributes:
        routed: number of trips, of those in `Comparison`, for which the network has a route.
        arrived: number of vehicles that arrived.
        teleports: number that SUMO counted.
        collisions: number that SUMO counted.
        seconds: sum of the travel times [s] of the vehicles that arrived.
        unsafe_phases: number of SUMO's warnings about greens of crossing ways.
        unused_signals: number of signals that control no connection.
    """

    routed: int
    arrived: int
    teleports: int
    collisions: int
    seconds: float
    unsafe_phases: int
    unused_signals: int

    def __add__(self, other: "Result") -> "Result":
        pairs = zip(astuple(self), astuple(other), strict=True)
        return Result(*(one + another for one, another in pairs))

    @property
    def mean_time(self) -> float:
        """Mean travel time [s] of the vehicles that arrived."""
        return self.seconds / max(self.arrived, 1)


@dataclass(frozen=True)
class Comparison:
    """The results on our network and on netconvert's import, with the number of all trips."""

    trips: int
    ours: Result
    theirs: Result


def compare(
    osm: Path, world: CompiledWorld, folder: Path, *, demands: int = 1
) -> Comparison | None:
    """The sums over some demands; None if no trip has a route in both networks."""
    nets = folder / "ours.net.xml", folder / "theirs.net.xml"
    nets[0].write_bytes(sumo_file(world))
    import_map(osm, world, nets[1])
    found = [edges_of(net) for net in nets]
    total = None
    for seed in range(1, demands + 1):
        trips = trips_between(found, seed)
        routes = [routes_of(net, own) for net, own in zip(nets, trips, strict=True)]
        common = [each for each, *_ in trips[0] if all(each in own for own in routes)]
        if not common:
            continue
        common = (common * VEHICLES)[:VEHICLES]
        ours, theirs = (
            simulate(net, [own[each] for each in common], routed=len(own))
            for net, own in zip(nets, routes, strict=True)
        )
        if total is not None:
            ours, theirs = total.ours + ours, total.theirs + theirs
        total = Comparison(len(trips[0]) + (total.trips if total else 0), ours, theirs)
    return total


def import_map(osm: Path, world: CompiledWorld, out: Path) -> None:
    """Lets netconvert import a map by its defaults, in our coordinates and as far as our world.

    It does not know by itself where traffic keeps left.
    """
    source = osm
    if osm.suffix == ".pbf":
        source = out.with_suffix(".osm")
        with osmium.SimpleWriter(str(source)) as writer:
            for each in osmium.FileProcessor(str(osm)):
                writer.add(each)
    elif osm.suffix == ".gz":
        source = out.with_suffix(".osm")
        source.write_bytes(gzip.decompress(osm.read_bytes()))
    latitude, longitude = world.origin
    projection = f"+proj=tmerc +lat_0={latitude} +lon_0={longitude} +datum=WGS84 +units=m"
    bounds = ",".join(f"{each:.2f}" for each in world.bounds)
    words = ["--osm-files", str(source), "-o", str(out), "--proj", projection]
    words += ["--offset.disable-normalization", "--keep-edges.in-boundary", bounds]
    if world.driving_side == "left":
        words.append("--lefthand")
    run("netconvert", *words)


def run(program: str, *words: str) -> str:
    """Runs a program of SUMO; returns its warnings."""
    command = [str(Path(find_netconvert()).with_name(program)), *words]
    return subprocess.run(command, capture_output=True, text=True, check=False).stderr


Edge = tuple[str, np.ndarray, float]
"""Name, middle [m] and length [m]."""


def edges_of(net: Path) -> dict[str, list[Edge]]:
    """The edges for cars on each OSM way, by its id with the sign of the direction."""
    found = defaultdict(list)
    for edge in etree.parse(str(net)).iter("edge"):
        way = re.match(r"-?\d+", edge.get("id"))
        lanes = [lane for lane in edge.iter("lane") if is_for_cars(lane)]
        if way and lanes and edge.get("function") is None:
            points = [each.split(",")[:2] for each in lanes[0].get("shape").split()]
            line = np.array(points, dtype=float)
            middle = line[len(line) // 2] if len(line) > 2 else line.mean(axis=0)
            found[way[0]].append((edge.get("id"), middle, float(lanes[0].get("length"))))
    return found


def is_for_cars(lane: etree._Element) -> bool:
    if lane.get("allow") is not None:
        return "passenger" in lane.get("allow").split()
    return "passenger" not in lane.get("disallow", "").split()


def trips_between(
    found: Sequence[dict[str, list[Edge]]], seed: int
) -> list[list[tuple[str, str, str]]]:
    """Trips between the same places on the same OSM ways, for each network with its edges."""
    draw = random.Random(seed)
    common = sorted(set.intersection(*(set(each) for each in found)))
    lengths = [sum(length for *_, length in found[0][way]) for way in common]
    trips: list[list[tuple[str, str, str]]] = [[] for _ in found]
    for number in range(2 * VEHICLES if len(common) > 1 else 0):
        ways = draw.choices(common, lengths, k=2)
        places = [draw.choice(found[0][way])[1] for way in ways]
        if ways[0] == ways[1] or np.hypot(*(places[0] - places[1])) < LEAST_DISTANCE:
            continue
        for own, edges in zip(trips, found, strict=True):
            start, end = (
                min(edges[way], key=lambda edge, at=at: np.hypot(*(edge[1] - at)))[0]
                for way, at in zip(ways, places, strict=True)
            )
            own.append((f"trip{number}", start, end))
    return trips


def routes_of(net: Path, trips: Sequence[tuple[str, str, str]]) -> dict[str, str]:
    """The fastest ways of those trips that there are."""
    file, out = net.with_suffix(".trips.xml"), net.with_suffix(".rou.xml")
    root = etree.Element("routes")
    etree.SubElement(root, "vType", id="car", vClass="passenger")
    for name, start, end in trips:
        ends = {"from": start, "to": end}
        etree.SubElement(root, "trip", id=name, type="car", depart="0", **ends)
    file.write_bytes(etree.tostring(root))
    words = ["-n", str(net), "-r", str(file), "-o", str(out), "--ignore-errors", "--no-warnings"]
    run("duarouter", *words, "--alternatives-output", "NUL")
    if not out.exists():
        return {}
    vehicles: Iterator[etree._Element] = etree.parse(str(out)).iter("vehicle")
    return {each.get("id"): each.find("route").get("edges") for each in vehicles}


def simulate(net: Path, routes: Sequence[str], *, routed: int) -> Result:
    """Drives cars along routes, one after the other."""
    file, out = net.with_suffix(".demand.xml"), net.with_suffix(".result.xml")
    root = etree.Element("routes")
    etree.SubElement(root, "vType", id="car", vClass="passenger")
    for number, edges in enumerate(routes):
        depart = f"{number * LAST_DEPARTURE / len(routes):.1f}"
        options = {"departLane": "best", "departSpeed": "max"}
        car = etree.SubElement(
            root, "vehicle", id=f"{number}", type="car", depart=depart, **options
        )
        etree.SubElement(car, "route", edges=edges)
    file.write_bytes(etree.tostring(root))
    trips = net.with_suffix(".arrived.xml")
    words = ["-n", str(net), "-r", str(file), "-e", str(END), "--seed", "1", "--no-step-log"]
    words += ["--collision.check-junctions", "--collision.action", "warn"]
    words += ["--statistic-output", str(out), "--tripinfo-output", str(trips)]
    said = run("sumo", *words)
    found = etree.parse(str(out)).getroot()
    arrived = [float(each.get("duration")) for each in etree.parse(str(trips)).getroot()]
    return Result(
        routed=routed,
        arrived=len(arrived),
        seconds=sum(arrived),
        teleports=int(found.find("teleports").get("total")),
        collisions=int(found.find("safety").get("collisions")),
        unsafe_phases=said.lower().count("unsafe green"),
        unused_signals=unused_signals(net),
    )


def unused_signals(net: Path) -> int:
    """Number of signals of a network that control no connection."""
    root = etree.parse(str(net)).getroot()
    used = {(each.get("tl"), each.get("linkIndex")) for each in root.iter("connection")}
    return sum(
        (program.get("id"), str(index)) not in used
        for program in root.iter("tlLogic")
        for index in range(len(program.find("phase").get("state")))
    )
