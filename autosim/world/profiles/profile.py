"""A street's profile: its heights and grades along its axis."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from autosim.arrays import Floats, Integers
from autosim.world.geometry.polylines import count_up_to


@dataclass(frozen=True, slots=True)
class Profile:
    """A street's heights and grades at the arc lengths `s` (n,) [m]; cubic in between.

    z: (n,) [m]; grades: (n,) rise over run.
    """

    s: Floats
    z: Floats
    grades: Floats

    def at(self, s: npt.ArrayLike) -> Floats:
        """Heights [m] at arc lengths [m]."""
        return self.both_at(s)[0]

    def grade_at(self, s: npt.ArrayLike) -> Floats:
        """Rise over run at arc lengths [m]."""
        return self.both_at(s)[1]

    def both_at(self, s: npt.ArrayLike) -> tuple[Floats, Floats]:
        """Heights [m], and rise over run, at arc lengths [m], by Hermite's cubics."""
        at = np.minimum(np.maximum(np.asarray(s, dtype=np.float64), self.s[0]), self.s[-1])
        return self._cubic(
            np.minimum(np.searchsorted(self.s, at, side="right"), len(self.s) - 1) - 1, at
        )

    def _cubic(self, k: Integers, at: Floats) -> tuple[Floats, Floats]:
        """Heights [m] and grades at arc lengths `at` [m], in the segments after rows `k`."""
        span = self.s[k + 1] - self.s[k]
        first, last = self.grades[k] * span, self.grades[k + 1] * span
        rise = self.z[k + 1] - self.z[k]
        t = (at - self.s[k]) / span
        bend, twist = first + last - 2.0 * rise, 3.0 * rise - 2.0 * first - last
        height = self.z[k] + t * (first + t * (twist + t * bend))
        return height, (first + t * (2.0 * twist + 3.0 * t * bend)) / span


def heights_along(
    profiles: Sequence[Profile], numbers: Integers, s: Floats
) -> tuple[Floats, Floats]:
    """Heights (n,) [m] and grades (n,) of profiles by their numbers (n,), at arc lengths (n,) [m].

    All at once: asking one profile after another takes longer than the look-up itself.
    """
    if not len(profiles):
        return np.zeros(0), np.zeros(0)
    lengths = np.array([len(profile.s) for profile in profiles])
    first = (np.cumsum(lengths) - lengths)[numbers]
    last = first + lengths[numbers] - 1
    whole = Profile(
        np.concatenate([profile.s for profile in profiles]),
        np.concatenate([profile.z for profile in profiles]),
        np.concatenate([profile.grades for profile in profiles]),
    )
    at = np.minimum(np.maximum(s, whole.s[first]), whole.s[last])
    known_of = np.repeat(np.arange(len(profiles)), lengths)
    k = np.minimum(count_up_to(known_of, whole.s, numbers, at), last) - 1
    return whole._cubic(k, at)
