"""Watches rovers: draws their paths among the obstacles, and says how near they came to what."""

import csv
import math
from collections.abc import Sequence

import numpy as np

from autosim.arrays import Floats
from autosim_testbench.figures.plane import Layer, draw_plane
from autosim_testbench.messages.kinds import PlanarPose
from autosim_testbench.nodes.clock import NANOSECONDS
from autosim_testbench.nodes.node import Node
from autosim_testbench.nodes.parameters import number_of
from autosim_testbench.obstacle_avoidance.rover_nodes import surroundings_of

_MOST_DRAWN = 3000
"""Greatest number of a path's poses that are drawn: a pixel apart, 6 m of a room of 2 m."""

_NOSE = 0.06
"""Length [m] of a drawn rover, which the model says nothing of: as long as its distance from the
point about which it turns, nearly."""

_ROVER = np.array([[1.0, 0.0], [-0.6, 0.5], [-0.6, -0.5], [1.0, 0.0]]) * _NOSE
"""Outline (4, 2) of a drawn rover that points along x [m]."""


class Visualisation(Node):
    """Draws the paths of one or two rovers, and counts how often they have left the room.

    Parameters: `pose` (topic); `other` (topic of a second rover; may be missing); those of
    `surroundings_of`.
    """

    def setup(self, arguments: Sequence[str]) -> None:
        """Connects."""
        self._surroundings = surroundings_of(self)
        self._limit = number_of(self, "half_side", 1.0)
        self._nearest_rover = math.inf
        self._rovers = [
            self._watch(self.find_topic_name(each))
            for each in ("pose", "other")
            if each == "pose" or each in self.parameters
        ]
        self.register_exit_function(self._write)

    def report(self) -> dict[str, object]:
        """Distances of rovers, exits from the area, and closest approaches [m]."""
        found: dict[str, object] = {
            "boundary_crossed": sum(each.crossed for each in self._rovers),
            "distance": round(sum(each.length() for each in self._rovers), 3),
            "nearest_obstacle": round(
                min(
                    _least_gap(each.places(), self._surroundings.obstacles) for each in self._rovers
                ),
                3,
            ),
        }
        if len(self._rovers) > 1:
            found["nearest_rover"] = round(self._nearest_rover, 3)
        return found

    def figures(self) -> dict[str, str]:
        """Obstacles and boundaries, the rovers, and where they went."""
        begins = self._surroundings.boundaries[:, 0]
        layers = [
            Layer(np.concatenate([begins, begins[:1]]), "outline"),
            Layer(self._surroundings.obstacles, "thing"),
        ]
        for each, look in zip(self._rovers, ("path", "other_path"), strict=False):
            layers.append(Layer(each.places()[:: 1 + len(each.path) // _MOST_DRAWN], look))
            layers.append(Layer(each.outline(), look))
        half_side = 1.1 * self._limit
        return {"path": draw_plane("Among obstacles [m]", layers, half_side=half_side)}

    def _watch(self, topic: str) -> "_Track":
        track = _Track(self._limit)
        self.subscribe(topic, track.pose)
        self.register_input_function(topic, track.take)
        self.register_input_function(topic, self._compare)
        return track

    def _compare(self) -> None:
        if len(self._rovers) > 1 and all(each.path for each in self._rovers):
            first, second = (each.pose for each in self._rovers)
            gap = math.hypot(first.x - second.x, first.y - second.y)
            self._nearest_rover = min(self._nearest_rover, gap)

    def _write(self) -> None:
        folder = self.setting.folder
        if folder is None:
            return
        for each, name in zip(self._rovers, ("path", "other_path"), strict=False):
            with (folder / f"{self.name}_{name}.csv").open("w", newline="") as file:
                writer = csv.writer(file)
                writer.writerow(("time", "x", "y", "yaw"))
                writer.writerows(each.path)


class _Track:
    """Track of one rover: rows of time [s], x, y [m] and yaw [rad]."""

    def __init__(self, limit: float) -> None:
        self.pose = PlanarPose()
        self.path: list[tuple[float, float, float, float]] = []
        self.crossed = 0
        self._limit, self._is_outside = limit, False

    def take(self) -> None:
        """Adds the pose that has come."""
        pose = self.pose
        self.path.append(((pose.stamp_ns or 0) / NANOSECONDS, pose.x, pose.y, pose.yaw))
        is_outside = max(abs(pose.x), abs(pose.y)) > self._limit
        self.crossed += is_outside and not self._is_outside
        self._is_outside = is_outside

    def places(self) -> Floats:
        """(n, 2) m; the origin where nothing has come."""
        return np.array(self.path)[:, 1:3] if self.path else np.zeros((1, 2))

    def length(self) -> float:
        """Of the path [m]."""
        return float(np.hypot(*np.diff(self.places(), axis=0).T).sum())

    def outline(self) -> Floats:
        """The rover as a triangle (4, 2) m that points where it goes."""
        cosine, sine = math.cos(self.pose.yaw), math.sin(self.pose.yaw)
        turned = _ROVER @ np.array([[cosine, sine], [-sine, cosine]])
        outline: Floats = turned + np.array([self.pose.x, self.pose.y])
        return outline


def _least_gap(places: Floats, obstacles: Floats) -> float:
    gaps = places[:, None] - obstacles[None]
    return float(np.hypot(gaps[..., 0], gaps[..., 1]).min())
