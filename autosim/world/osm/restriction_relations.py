"""Turn restrictions as the map has them: relations of ways, not yet applied to streets.

Source: https://wiki.openstreetmap.org/wiki/Relation:restriction
"""

from dataclasses import dataclass

from autosim.world.osm.osm_data import OsmData, OsmRelation
from autosim.world.osm.tags import Tags

_FOR_CARS = ("restriction", "restriction:motorcar", "restriction:motor_vehicle",
             "restriction:vehicle")  # fmt: skip
_CARS = frozenset({"motorcar", "motor_vehicle", "vehicle"})
_OLD_CONDITIONS = ("day_on", "day_off", "hour_on", "hour_off")


class BrokenRestrictionError(Exception):
    """A restriction cannot be applied; the message says why."""


@dataclass(frozen=True, slots=True)
class RestrictionMembers:
    """A relation's members by role: ids of ways, and of nodes or ways for `via`.

    Attributes:
        origins: ways with the role `from`.
        targets: ways with the role `to`.
        via_nodes: nodes with the role `via`.
        via_ways: ways with the role `via`, in order.
    """

    origins: tuple[int, ...]
    targets: tuple[int, ...]
    via_nodes: tuple[int, ...]
    via_ways: tuple[int, ...]

    @classmethod
    def of(cls, relation: OsmRelation) -> "RestrictionMembers":
        """The members of a relation."""

        def ids(*wanted: str) -> tuple[int, ...]:
            return tuple(ref for what, ref, name in relation.members if (what, name) == wanted)

        return cls(ids("way", "from"), ids("way", "to"), ids("node", "via"), ids("way", "via"))


def is_restriction(tags: Tags) -> bool:
    """Whether a relation is a turn restriction."""
    return tags.get("type", "").split(":")[0] == "restriction"


def via_nodes(data: OsmData) -> frozenset[int]:
    """Rows of the nodes at which restrictions apply: streets must not be joined there."""
    ids = {
        ref
        for relation in data.relations
        if is_restriction(relation.tags)
        for what, ref, role in relation.members
        if what == "node" and role == "via"
    }
    rows = data.rows(tuple(sorted(ids))).tolist()
    return frozenset(row for row in rows if row >= 0)


def kind_of(tags: Tags) -> str:
    """The restriction of a relation for cars, such as "no_left_turn".

    Raises:
        BrokenRestrictionError: it has none for cars.
    """
    kind = next((tags[key] for key in _FOR_CARS if key in tags), "")
    if not kind:
        is_conditional = any(key.endswith(":conditional") for key in tags)
        raise BrokenRestrictionError("conditional" if is_conditional else "not for cars")
    if _CARS & {name.strip() for name in tags.get("except", "").split(";")}:
        raise BrokenRestrictionError("cars are excepted")
    if any(key in tags for key in _OLD_CONDITIONS):
        raise BrokenRestrictionError("conditional")
    if not kind.startswith(("no_", "only_")):
        raise BrokenRestrictionError(f"unknown kind {kind}")
    return kind
