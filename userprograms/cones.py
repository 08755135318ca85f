"""Where cones stand, as a lidar sees them, and the line in the middle between them.

A lidar knows no colours. Cones are told to be left or right by the side of the line on which they
stand, and the line goes on from where the car is, a metre at a time, between those that it meets.
mppi_racer.py drives along that line.
"""

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components
from scipy.spatial import cKDTree

LEAST_HEIGHT, MOST_HEIGHT = 0.08, 0.6  # m above the ground between which points are of cones
FARTHEST = 18.0  # m from the lidar to which it sees cones well
GAP = 0.4  # m between points of one cone
WIDEST = 0.6  # m: what is wider is no cone
RADIUS = 0.08  # m by which a cone's middle lies behind its points

REACH_BACK, REACH_AHEAD = 3.0, 7.0  # m along the line from which cones count for it
REACH_ASIDE = 1.6  # m beside its edge
STEP = 1.0  # m from one point of the line to the next
# How much straightness counts against cones: for the shift, the slope and the curvature.
STIFFNESS = np.array([0.05, 1.0, 40.0])
SHARPEST = 0.16  # 1/m, curvature of the narrowest bend
TURN = 0.25  # rad by which the line turns in a step at most
LONGEST = 30  # points of a line


def deskewed(points, lidar, *, time, rate, speed, turn):
    """Points (n, 3) of a turning lidar at `lidar` (3,), as if all had been measured at `time` [s].

    It turns `rate` times a second, and began to at time 0 ahead. Meanwhile the car has driven at
    `speed` [m/s] and turned with `turn` [rad/s].
    """
    angle = np.arctan2(points[:, 1] - lidar[1], points[:, 0] - lidar[0])
    age = ((time * rate - angle / (2.0 * np.pi)) % 1.0) / rate
    cosine, sine = np.cos(turn * age), np.sin(turn * age)
    x, y, z = points.T
    return np.column_stack([cosine * x + sine * y - speed * age, cosine * y - sine * x, z])


def find_cones(points, height):
    """The middles (n, 2) of cones among points (m, 3); the ground is `height` below the car."""
    ground = _ground(points, height)
    above = points[:, 2] - (ground[0] + points[:, :2] @ ground[1:])
    distance = np.hypot(points[:, 0], points[:, 1])
    is_cone = (above > LEAST_HEIGHT) & (above < MOST_HEIGHT) & (distance < FARTHEST)
    found = points[is_cone, :2]
    if not len(found):
        return np.zeros((0, 2))
    pairs = cKDTree(found).query_pairs(GAP, output_type="ndarray")
    links = coo_array((np.ones(len(pairs)), pairs.T), shape=(len(found), len(found)))
    count, cluster = connected_components(links, directed=False)
    sizes = np.bincount(cluster, minlength=count)
    middles = np.column_stack(
        [np.bincount(cluster, found[:, axis], count) / sizes for axis in range(2)]
    )
    spread = np.zeros(count)
    np.maximum.at(spread, cluster, np.linalg.norm(found - middles[cluster], axis=1))
    middles = middles[spread < WIDEST / 2]
    away = np.linalg.norm(middles, axis=1, keepdims=True)
    return middles * (1.0 + RADIUS / away)


def _ground(points, height):
    """The ground's height below the middle of the car, and its slopes along x and y.

    The car pitches and rolls, so that the plane of the ground is fitted to the points near it.
    """
    plane = np.array([-height, 0.0, 0.0])
    terms = np.column_stack([np.ones(len(points)), points[:, :2]])
    for tolerance in (0.25, 0.06):
        near = np.abs(points[:, 2] - terms @ plane) < tolerance
        if near.sum() < 50:
            break
        plane = np.linalg.lstsq(terms[near], points[near, 2], rcond=None)[0]
    return plane


def middle_line(cones, half_width, curvature=0.0):
    """The line (n, 2) in the middle between cones, from beside the car on.

    `half_width` [m] is from the line to the cones; `curvature` [1/m] of the line at the car to
    begin with, such as the last one had.
    """
    place, heading = np.array([-2.0, 0.0]), -2.0 * curvature
    line = []
    for _ in range(LONGEST):
        ahead = np.array([np.cos(heading), np.sin(heading)])
        x = (cones - place) @ ahead
        y = (cones - place) @ np.array([-ahead[1], ahead[0]])
        bend = 0.5 * curvature * x * x
        side = np.sign(y - bend)
        near = (x > -REACH_BACK) & (x < REACH_AHEAD)
        near &= np.abs(np.abs(y - bend) - half_width) < REACH_ASIDE
        if not near.any() or (len(line) > 4 and x[near].max() < 0.5):
            break
        x, y, side = x[near], y[near], side[near]
        shift, slope, curvature = _fit(x, y - side * half_width, curvature)
        if len(line) < 3:  # the car may stand beside the line
            place = place + shift * np.array([-ahead[1], ahead[0]])
        else:
            place = place + 0.6 * shift * np.array([-ahead[1], ahead[0]])
        heading += np.clip(np.arctan(slope), -TURN, TURN)
        line.append(place)
        middle = heading + 0.5 * STEP * curvature
        place = place + STEP * np.array([np.cos(middle), np.sin(middle)])
        heading += STEP * curvature
    return np.array(line).reshape(-1, 2)


def _fit(x, y, curvature):
    """Shift, slope and curvature of the parabola through places (x, y), near a curvature."""
    weights = np.exp(-((x / 5.0) ** 2))
    terms = np.column_stack([np.ones_like(x), x, 0.5 * x * x])
    system = terms.T @ (weights[:, None] * terms) + np.diag(STIFFNESS)
    right = terms.T @ (weights * y) + STIFFNESS * np.array([0.0, 0.0, curvature])
    shift, slope, bend = np.linalg.solve(system, right)
    return shift, slope, float(np.clip(bend, -SHARPEST, SHARPEST))
