"""Reads configurations of SUMO (`.sumocfg`): which files have the routes, and from when to when.

Of all that such a file states only that has a meaning here; the network is that of the world.

Source: SUMO's documentation, Using SUMO from the Command Line, Configuration Files.
"""

from dataclasses import dataclass, replace
from math import inf

from autosim.config.demand import Demand
from autosim.config.reading.attribute_values import parse_finite
from autosim.config.reading.sources import Source
from autosim.config.reading.xml_reader import line_of

ROOTS = ("configuration", "sumoConfiguration")
"""Roots of such files."""


@dataclass(frozen=True, slots=True)
class SumoConfiguration:
    """Content of a SUMO configuration.

    Attributes:
        files: names of the files with types and routes, in the order in which SUMO reads them.
        begin: time [s] of the files at which the run begins.
        end: time [s] at which the run ends; there are no departures afterwards.
    """

    files: tuple[str, ...]
    begin: float
    end: float

    def bounded(self, demand: Demand) -> Demand:
        """The departures between begin and end, by the time since the begin."""
        kept = [each for each in demand.departures if self.begin <= each.seconds < self.end]
        moved = [replace(each, seconds=each.seconds - self.begin) for each in kept]
        return replace(demand, departures=tuple(moved))


def read_configuration(source: Source) -> SumoConfiguration | None:
    """The content of a configuration; None, with a diagnostic, if it names no routes."""
    stated = {
        str(element.tag): (str(element.get("value", element.get("v", ""))), line_of(element))
        for element in source.root.iter()
        if isinstance(element.tag, str)
    }
    names = [
        name.strip()
        for option in ("additional-files", "route-files")
        for name in stated.get(option, ("", 0))[0].split(",")
        if name.strip()
    ]
    if "route-files" not in stated:
        source.faults.error(line_of(source.root), "the configuration names no <route-files>")
        return None
    times = {"begin": 0.0, "end": inf}
    for option in times:
        text, line = stated.get(option, ("", 0))
        value = parse_finite(text) if text else times[option]
        if value is None:
            source.faults.error(line, f"<{option}>: '{text}' is not a time in seconds")
            return None
        # SUMO writes -1 for no end.
        times[option] = value if value >= 0.0 else inf
    if "step-length" in stated:
        message = "<step-length> is left out: the steps are those of the world"
        source.faults.warning(stated["step-length"][1], message)
    return SumoConfiguration(tuple(names), times["begin"], times["end"])
