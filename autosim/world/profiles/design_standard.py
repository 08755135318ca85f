"""The rules by which streets climb, dip and pass one another: those of road design, relaxed.

New streets are built by guides; towns on hills are older than these, and maps know neither cuttings
nor embankments. So each rule here asks for less than a guide does where a guide would move a street
off its terrain.
"""

from dataclasses import dataclass

from autosim.world.streets.street_finding import Street


@dataclass(frozen=True, slots=True)
class DesignStandard:
    """Limits of grades, vertical curves and clearances.

    A tuple has one value for each rank of a class of streets (`HighwayClass.rank`), the most
    important first.
    """

    grades: tuple[float, ...] = (0.07, 0.08, 0.10, 0.12, 0.14, 0.16, 0.16, 0.18, 0.20, 0.25)
    """Steepest grade (rise over run) of a street. Chosen: motorways climb 7 % at the most, the
    steepest streets of old towns about 20 %, and tracks a quarter."""

    crest_radii: tuple[float, ...] = (
        500.0, 400.0, 250.0, 250.0, 200.0, 150.0, 120.0, 100.0, 100.0, 80.0
    )  # fmt: skip
    """Least radius [m] of a crest. It bounds the vertical acceleration v² / r at 15 m/s: to 0.05 g
    on motorways, 0.1 g on main streets, 0.2 g on others, 0.3 g on tracks. See `vertical_curves`."""

    sag_share: float = 0.6
    """Least radius of a sag as a share of that of a crest: no wheel leaves the ground in a sag."""

    clearance: float = 5.5
    """Height [m] from a carriageway to the one above it: 4.5 m for traffic, 1 m for the deck."""

    cover: float = 6.0
    """Depth [m] of a tunnel's carriageway under the ground, if its ramps allow. Chosen: 4.5 m for
    traffic, the ceiling, and some ground above it."""

    over_water: float = 2.5
    """Height [m] of a bridge above the terrain where it spans water. Chosen: the water lies at the
    terrain's height, and 1.5 m stay free below a deck of 1 m."""

    over_railway: float = 6.0
    """Height [m] of a bridge above the terrain where it spans a railway. Chosen: a train and its
    contact wire need half a metre more than road traffic."""

    turn_grade: float = 0.04
    """Steepest grade (rise over run) between the two ends of a sharp turn. Chosen: a car that turns
    at walking pace is on the level, or nearly so."""

    crossing_grade: float = 0.06
    """Steepest grade (rise over run) of a turn between the carriageways of its two streets. Chosen:
    a ball at 15 m/s leaves a kink of 0.066 rad."""

    head_grade: float = 0.04
    """Steepest grade (rise over run) of a street in its turning head. Rolling balls left steeper
    heads by up to 0.7 m: a head is wider than its street, and as steep across."""

    wide_bend: float = 12.0
    """Radius [m] of the tightest bend in which a street may be as steep as its class allows."""

    least_share_in_bends: float = 0.35
    """Share of the grade of its class that a street keeps in the tightest bend. Chosen: there the
    inner edge of a narrow street is half as long as the axis."""

    def grade_limit(self, street: Street) -> float:
        """The steepest that a street may be (rise over run)."""
        return self.grades[min(street.profile.rank, len(self.grades) - 1)]

    def crest_radius(self, street: Street) -> float:
        """The least radius [m] of a street's crests."""
        return self.crest_radii[min(street.profile.rank, len(self.crest_radii) - 1)]


STANDARD = DesignStandard()
"""The standard of every world."""
