"""Publications: lists that user programs publish under their robot."""

from autosim.config.descriptions import Publication
from autosim.simulation.tree import PUBLICATION, Access, Column, Node, list_field


def publication_node(publication: Publication) -> Node:
    """The node of a publication, which lies directly under its robot. It holds rows."""
    columns = [Column(each.name, each.unit) for each in publication.columns]
    rows = list_field("rows", columns, publication.capacity)
    return Node(publication.name, PUBLICATION, (rows,), access=Access.SET)
