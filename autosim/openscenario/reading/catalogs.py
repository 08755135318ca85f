"""Finds entries of catalogs: a reference becomes the element of the catalog's file."""

from autosim.openscenario.reading.xosc_elements import XoscElement


def resolve_reference(reference: XoscElement, *tags: str) -> XoscElement:
    """The element that a <CatalogReference> names, with its parameters assigned."""
    catalog, entry = reference.text("catalogName"), reference.text("entryName")
    folder = reference.findings.catalogs
    found = folder.find(catalog, entry)
    if found is None:
        if catalog not in folder.known:
            raise reference.fail(f"there is no catalog '{catalog}' in the catalog locations")
        raise reference.fail(f"the catalog '{catalog}' has no entry '{entry}'")
    values = dict(reference.values)
    assignments = reference.child("ParameterAssignments")
    node, path = found
    own: dict[str, str] = {}
    for group in node:
        if isinstance(group.tag, str) and group.tag.rpartition("}")[2] == "ParameterDeclarations":
            for each in XoscElement(group, path, reference.findings, values).children(
                "ParameterDeclaration"
            ):
                each.skip()
                own[each.reference("name")] = each.text("value", "")
    if assignments is not None:
        for each in assignments.children("ParameterAssignment"):
            own[each.reference("parameterRef")] = each.text("value", "")
    result = XoscElement(node, path, reference.findings, {**values, **own})
    if result.tag not in tags:
        wanted = " or ".join(f"<{tag}>" for tag in tags)
        raise reference.fail(f"the entry '{entry}' is a <{result.tag}>, not {wanted}")
    return result
