"""GPS receivers: RMC and GGA sentences, renewed at the receiver's own rate."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import gcd, sqrt

import numpy as np

from autosim.arrays import Booleans, Bytes, Floats, Integers
from autosim.config.descriptions import Device, Vector3
from autosim.config.noise_records import RandomWalk
from autosim.config.schema import Interval, ValueType
from autosim.config.schemas.common import NOT_NEGATIVE, parameter, vector
from autosim.jit import compiled, jitable
from autosim.kinds.banks import (
    BankContext,
    MountedDevice,
    body_indices,
    sampling_intervals,
    vectors,
)
from autosim.kinds.elements import ORIGIN, RATED_NOISES, device_element, update_rate
from autosim.kinds.kind import DeviceKind
from autosim.kinds.nmea import (
    GGA_TEMPLATE,
    RMC_TEMPLATE,
    VOID_GGA_TEMPLATE,
    VOID_RMC_TEMPLATE,
    write_gga,
    write_sentence,
    write_void_gga,
    write_void_sentence,
)
from autosim.kinds.sensors.positioning.satellite_visibility import SatelliteVisibility
from autosim.model.bodies import BodyStates
from autosim.model.noise import NoiseField, NoisyValue
from autosim.model.snapshot import Memory
from autosim.model.state import State
from autosim.model.tree import Field, FieldType
from autosim.model.vector_kernels import cross, read_vector, to_world, vec_add
from autosim.portable import arctan2, hypot
from autosim.world.geometry.map_projection import geographic

NMEA_BYTES = 88
"""Room for an NMEA 0183 sentence (at most 82 characters), in whole words."""

_ALL_SEEN, _IDEAL = 12, 1.0
"""Number of satellites and dilution of precision of a receiver under a sky that hides nothing."""

_LEAST = 4
"""Number of satellites that give a fix: for three coordinates and the receiver's clock."""

_OPEN_SKY = 0.2
"""Share of `multipath` that is left where no satellite is hidden: the ground reflects, too."""

_MOST_DEVIATIONS = 3.0
"""Largest error of multipath as a factor of its standard deviation: reflections from farther are
too weak."""

_MULTIPATH = "GPSSensor multipath"
"""The kind of the memory of reflections."""

_CHANNELS = (".east", ".north", ".up")
_STAMPS = (".east_speed", ".north_speed", ".time", ".satellites", ".dilution")
"""Fields that noise in metres does not apply to; it may name them."""


@dataclass(frozen=True, slots=True)
class GPSSensor(Device):
    """NMEA 0183 sentences, renewed `update_rate` [Hz] times a second; noise in metres.

    Beside RMC there is a GGA sentence if it `has_gga`. If it `sees_sky`, what stands around hides
    satellites. `multipath` [m] is the standard deviation of the error that reflections make where
    all satellites are hidden but those for a fix; it stays alike for `multipath_time` [s].
    """

    position: Vector3 = (0.0, 0.0, 0.0)
    """Antenna [m], in B relative to the part's centre."""
    update_rate: float = 10.0
    has_gga: bool = False
    sees_sky: bool = False
    multipath: float = 0.0
    multipath_time: float = 30.0


class GPSBank:
    """All GPS receivers; their rates are rounded to whole steps.

    A position may arrive late, and then says when it was measured.
    """

    def __init__(self, devices: Sequence[MountedDevice[GPSSensor]], context: BankContext) -> None:
        receivers = [mounted.device for mounted in devices]
        self._body = body_indices(devices)
        self._start = np.array([mounted.node.start for mounted in devices], dtype=np.int64)
        self._has_gga = np.array([each.has_gga for each in receivers], dtype=np.bool_)
        self._position = vectors([each.position for each in receivers])
        self._period = sampling_intervals(
            [each.update_rate for each in receivers], context.step_seconds
        )
        # In other steps nothing is due, and that is soon known.
        self._every = gcd(*self._period.tolist())
        self._north, self._longitude = context.projection.north, context.projection.origin[1]
        self._values = np.zeros((len(devices), len(_CHANNELS) + len(_STAMPS)))
        self._values[:, 6:] = _ALL_SEEN, _IDEAL
        self._seeing = np.flatnonzero([each.sees_sky for each in receivers])
        self._sky = self._make_sky(context) if self._seeing.size else None
        self._multipath = np.array([each.multipath for each in receivers])
        self._reflecting = np.flatnonzero(self._multipath > 0.0)
        self._walk = _walk_of([devices[k] for k in self._reflecting.tolist()], context)
        self.memory = next(iter(self._walk.memories), Memory(_MULTIPATH, (), np.zeros((0, 1))))

    def sense(self, bodies: BodyStates, state: State, noise: NoiseField) -> None:
        """Writes the sentences that are due."""
        reflected = self._reflections(state.step)
        if not noise.memories and state.step % self._every:
            return
        _measure(
            bodies.positions,
            bodies.rotations,
            bodies.velocities,
            bodies.angular_velocities,
            self._body,
            self._position,
            state.time,
            self._values,
        )
        if self._sky:
            self._look(self._sky, state.step)
        if self._reflecting.size:
            self._values[self._reflecting, :2] += reflected * self._metres()[:, None]
        values = noise(self._values.reshape(-1)).reshape(self._values.shape)
        _write(
            values,
            state.step,
            self._period,
            self._start,
            self._has_gga,
            self._north,
            self._longitude,
            state.bytes,
        )

    def _reflections(self, step: int) -> Floats:
        """Errors (reflecting, 2) east and north, in standard deviations."""
        if not self._reflecting.size:
            return np.zeros((0, 2))
        self._walk.step = step
        walked = self._walk(np.zeros(2 * self._reflecting.size)).reshape(-1, 2)
        return np.clip(walked, -_MOST_DEVIATIONS, _MOST_DEVIATIONS)

    def _metres(self) -> Floats:
        """Standard deviations (reflecting,) [m] of the errors of reflections here."""
        spare = np.maximum(self._values[self._reflecting, 6] - _LEAST, 0.0)
        hidden = 1.0 - spare / (_ALL_SEEN - _LEAST)
        shares = _OPEN_SKY + (1.0 - _OPEN_SKY) * hidden
        return np.asarray(self._multipath[self._reflecting] * shares)

    def _make_sky(self, context: BankContext) -> SatelliteVisibility:
        return SatelliteVisibility(context.rays.scene, len(self._body))

    def _look(self, sky: SatelliteVisibility, step: int) -> None:
        due = self._seeing[step % self._period[self._seeing] == 0]
        if due.size:
            sky.update(self._values[:, :3], due)
        self._values[self._seeing, 6] = sky.satellites[self._seeing]
        self._values[self._seeing, 7] = sky.dilution[self._seeing]


def _walk_of(devices: Sequence[MountedDevice[GPSSensor]], context: BankContext) -> NoiseField:
    """Random walks of east and north of each receiver, with a standard deviation of 1."""
    channels = []
    for mounted in devices:
        time = mounted.device.multipath_time
        sources = (RandomWalk(sqrt(2.0 / time), time),)
        name = f"{mounted.node.name}.multipath"
        channels += [
            NoisyValue(f"{name}.{axis}", name, axis, sources) for axis in ("east", "north")
        ]
    seconds = context.step_seconds
    return NoiseField(channels, seed=context.seed, step_seconds=seconds, kind=_MULTIPATH)


@compiled
def _measure(
    positions: Floats,
    rotations: Floats,
    velocities: Floats,
    angular_velocities: Floats,
    body: Integers,
    position: Floats,
    seconds: float,
    values: Floats,
) -> None:
    """Writes into `values` (n, 8) where the antennas are, how they move, and when."""
    for i in range(body.size):
        k = body[i]
        arm = to_world(rotations[k], read_vector(position[i]))
        velocity = vec_add(
            read_vector(velocities[k]), cross(read_vector(angular_velocities[k]), arm)
        )
        values[i, 0], values[i, 1] = positions[k, 0] + arm[0], positions[k, 1] + arm[1]
        values[i, 2] = positions[k, 2] + arm[2]
        values[i, 3], values[i, 4], values[i, 5] = velocity[0], velocity[1], seconds


@compiled
def _write(
    values: Floats,
    step: int,
    period: Integers,
    start: Integers,
    has_gga: Booleans,
    north: float,
    longitude: float,
    memory: Bytes,
) -> None:
    """Writes the sentences that are due in `step`, each from its place in the state's `memory`."""
    for i in range(period.size):
        if step % period[i] != 0:
            continue
        place = geographic(values[i, 0], values[i, 1], north, longitude)
        seconds, satellites = values[i, 5], int(values[i, 6])
        text = memory[start[i] : start[i] + NMEA_BYTES]
        if satellites >= _LEAST:
            speed = hypot(values[i, 3], values[i, 4])
            course = arctan2(values[i, 3], values[i, 4])
            write_sentence(place[0], place[1], speed, course, seconds, _cleared(text, RMC_TEMPLATE))
        else:
            write_void_sentence(seconds, _cleared(text, VOID_RMC_TEMPLATE))
        if has_gga[i]:
            text = memory[start[i] + NMEA_BYTES : start[i] + 2 * NMEA_BYTES]
            if satellites >= _LEAST:
                text = _cleared(text, GGA_TEMPLATE)
                height, dilution = values[i, 2], values[i, 7]
                write_gga(place[0], place[1], height, satellites, dilution, seconds, text)
            else:
                write_void_gga(satellites, seconds, _cleared(text, VOID_GGA_TEMPLATE))


@jitable
def _cleared(text: Bytes, template: Bytes) -> Bytes:
    """The part of `text` for a sentence, which holds its template; the rest is zero."""
    for k in range(text.size):
        text[k] = template[k] if k < template.size else 0
    return text[: template.size]


def _fields(receiver: GPSSensor) -> tuple[Field, ...]:
    names = ("sentence", "gga") if receiver.has_gga else ("sentence",)
    return tuple(
        Field(name, FieldType.TEXT, (NMEA_BYTES,), meaning="The newest NMEA 0183 sentence.")
        for name in names
    )


KIND = DeviceKind(
    record=GPSSensor,
    element=device_element(
        "GPSSensor",
        "A receiver of the Global Positioning System: an NMEA 0183 RMC sentence, and a GGA "
        "sentence if wanted. Without a fix the one says V and the other 0, and what is not known "
        "is empty. Noise is in metres; that of the speed over ground [m/s] names it: "
        '`field="east_speed"` and `field="north_speed"`.',
        vector("Position", "Place of the antenna, relative to the part's centre.", default=ORIGIN),
        update_rate("New sentences in a second.", default=10.0),
        parameter(
            "Gga",
            "Whether there is a GGA sentence, too, with height [m], satellites and dilution of "
            "precision.",
            default=False,
            type=ValueType.BOOLEAN,
        ),
        parameter(
            "SkyView",
            "Whether what stands over and around the antenna hides satellites: there is no fix in "
            "tunnels, under bridges and where houses leave less than 4 of the 12.",
            default=False,
            type=ValueType.BOOLEAN,
        ),
        parameter(
            "Multipath",
            "Standard deviation, east and north, of the error that reflections make where just 4 "
            "satellites are seen; with SkyView a fifth under open sky, without it a fifth "
            "everywhere. It walks at random, and stays within three times as much.",
            unit="m",
            default=0.0,
            interval=NOT_NEGATIVE,
        ),
        parameter(
            "MultipathTime",
            "Time in which the error of reflections changes.",
            unit="s",
            default=30.0,
            interval=Interval(0.01, 1e5),
        ),
        *RATED_NOISES,
    ),
    fields=_fields,
    names={"Gga": "has_gga", "SkyView": "sees_sky"},
    make_bank=GPSBank,
    channels=lambda receiver, step_seconds: (*_CHANNELS, *_STAMPS),
    stamps=_STAMPS,
)
