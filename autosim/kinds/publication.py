"""Publications: lists that user programs publish under their robot."""

from autosim.config.descriptions import Publication
from autosim.config.schemas.world import PUBLICATION as ELEMENT
from autosim.model.tree import PUBLICATION, Access, Column, KindSchema, TreeNode, list_field

_SCHEMA = KindSchema(ELEMENT, (("Column", "columns"),))


def publication_node(publication: Publication) -> TreeNode:
    """The node of a publication, which lies directly under its robot. It holds rows."""
    columns = [Column(each.name, each.unit) for each in publication.columns]
    rows = list_field("rows", columns, publication.capacity, "What was published last.")
    return TreeNode(publication.name, PUBLICATION, (rows,), access=Access.SET, schema=_SCHEMA)
