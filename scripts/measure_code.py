"""Prints measures of the code: names, types, privacy, lengths, and wording.

    python scripts/measure_code.py            the numbers
    python scripts/measure_code.py RULE       each place at which a rule of wording is broken
    python scripts/measure_code.py parameters each function with many parameters
    python scripts/measure_code.py fields     each field of a public record without a description

`tests/test_code_measures.py` holds the limits of these numbers.
"""

import ast
import io
import re
import sys
import tokenize
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path

ROOT = Path(__file__).parents[1]
PACKAGES = (ROOT / "autosim", ROOT / "autosim_testbench", ROOT / "autosim_assets")
GENERATED = ROOT / "autosim" / "v1"

KERNEL_DECORATORS = frozenset(
    {
        "compiled",
        "compiled_nogil",
        "compiled_without_refcounts",
        "inlined",
        "jitable",
        "vectorised",
    }
)
"""Decorators of `autosim.jit`: kernels may be long, with a comment for each phase."""

WAY_OUT = "# prose: ok"
"""A comment on a line whose wording is right although a rule finds it."""

DOCSTRING, CONSTANT, COMMENT, TEXT = "docstring", "attribute docstring", "comment", "text"
DOCUMENT = "document"


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule of wording.

    Attributes:
        pattern: regular expression of what it forbids.
        instead: what to write.
        kinds: the kinds of text that it applies to; none: all of them.
    """

    pattern: str
    instead: str
    kinds: frozenset[str] = frozenset()


_DOCSTRINGS = frozenset({DOCSTRING})

RULES = {
    "is-no": Rule(
        r"(?<!here )\b(?:is|are|was|were|be) no (?!longer\b|more\b|less\b|better\b|worse\b|one\b"
        r"|way\b|need\b|use\b|different\b|slower\b|faster\b|larger\b|farther\b)[a-z]+",
        "is not a X",
    ),
    "anew": Rule(r"(?i)\banew\b", "again, re-"),
    "some-body": Rule(
        r"(?i)\b(?:nobody|somebody|anybody|everybody|whoever|whomever)\b",
        "the role, or the passive",
    ),
    "he": Rule(r"\b(?:[Hh]e|[Hh]im|[Hh]is|[Hh]imself)\b", "it, they"),
    "who-first": Rule(
        r"^(?:Who|What|Where|How|Which|Whose|Whom|Those|That)\b",
        "a noun phrase",
        frozenset({DOCSTRING, CONSTANT}),
    ),
    "told-of": Rule(r"(?i)\b(?:tell|tells|telling|told|hear|hears|heard) of\b", "report, describe"),
    "is-said": Rule(r"(?i)\b(?:is|are|was|were|be|been) (?:said|told)\b", "is reported, is given"),
    "goes-on": Rule(
        r"\b(?:[Gg]o|[Gg]oes|went|going|gone) on\b(?! (?:a|an|the|its|each|one|both|foot)\b)",
        "continue, resume",
    ),
    "of-its-own": Rule(r"\ban? \w+ of (?:its|their) own\b", "its own X"),
    "lets": Rule(
        r"^(?:Lets (?!the user|a person)|Does nothing\b"
        r"|Has (?!been\b)[\w` ]+? (?:\w+ed|drawn|made|run|done|set|told)\b)",
        "the action",
        _DOCSTRINGS,
    ),
    "so-many": Rule(r"\bso (?:many|much)\b(?! that| as)", "the number"),
    "in-hand": Rule(r"\bin hand\b", "current"),
    "shall": Rule(r"\bshall\b", "is to, should"),
    "let-go": Rule(r"(?i)\blet(?:s|ting)? go\b", "release, close, drop"),
    "comes-of": Rule(r"\b(?:comes?|came|becomes?|became) of\b", "result, outcome"),
    "as-stands": Rule(r"\bas (?:it|they|these) (?:stands?|stood)\b", "current"),
    "any-more": Rule(r"\bany more\b", "no longer"),
    "put-else": Rule(r"(?i)\b(?:put|puts|putting) elsewhere\b", "moved, relocated"),
    "there-is-end": Rule(r"\bthat there (?:is|are)\b(?=[.,;:)]|$)", "available"),
    "of-ever": Rule(r"\b(?:of|as|than) ever\b", "unchanged"),
    "look-if": Rule(r"\blooks? (?:whether|if)\b", "checks whether"),
    "dummy": Rule(r"^Whether (?:it|he|they) (?:is|are|has|have|does|can)\.$", "", _DOCSTRINGS),
    "told-until": Rule(r"(?i)(?:until|as soon as) (?:it is |they are )?told\b", "until ordered"),
}
"""Idioms that a native speaker would not write in technical English."""


@dataclass(frozen=True, slots=True)
class Passage:
    """A text in a source file: its kind, its first line, and the text on one line."""

    kind: str
    line: int
    text: str


def sources(*folders: Path) -> list[Path]:
    """The Python files below folders, by default of all packages, without generated ones."""
    found = (path for each in folders or PACKAGES for path in sorted(each.rglob("*.py")))
    return [each for each in found if GENERATED not in each.parents]


@cache
def _tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text())


def passages(source: str) -> Iterator[Passage]:
    """The docstrings, comments and texts with a blank of a source file; code becomes `c`."""
    tree, lines = ast.parse(source), source.splitlines()
    documented = dict(_docstrings(tree))
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            kind = documented.get(id(node), TEXT)
            if kind is not TEXT or " " in node.value:
                yield from _passage(kind, node.lineno, node.value, lines)
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            yield from _passage(COMMENT, token.start[0], token.string.lstrip("# "), lines)


def _passage(kind: str, line: int, text: str, lines: list[str]) -> Iterator[Passage]:
    if WAY_OUT not in lines[line - 1]:
        without_code = re.sub(r"`[^`]*`", "c", text)
        yield Passage(kind, line, " ".join(without_code.split()))


def _docstrings(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """The identities of the nodes of docstrings, each with its kind."""
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if not isinstance(body, list):
            continue
        is_described = isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)
        if body and (is_described or isinstance(node, ast.AsyncFunctionDef)) and _text(body[0]):
            yield id(body[0].value), DOCSTRING
        for assigned, following in pairwise(body):
            if isinstance(assigned, ast.Assign | ast.AnnAssign) and _text(following):
                yield id(following.value), CONSTANT


def _text(statement: ast.stmt) -> bool:
    return (
        isinstance(statement, ast.Expr)
        and isinstance(statement.value, ast.Constant)
        and isinstance(statement.value.value, str)
    )


def broken_rules(source: str) -> Iterator[tuple[str, Passage]]:
    """The rules of wording that a source file breaks, each with the passage."""
    for passage in passages(source):
        for name, rule in RULES.items():
            applies = not rule.kinds or passage.kind in rule.kinds
            if applies and re.search(rule.pattern, passage.text):
                yield name, passage


def wording() -> Counter[str]:
    """The number of passages that break each rule."""
    return Counter(name for path in sources() for name, _ in broken_rules(path.read_text()))


def documents() -> list[Path]:
    """The documents of the root and of `docs/`."""
    return [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md"))]


def broken_document_rules(text: str) -> Iterator[tuple[str, Passage]]:
    """The rules of wording that a document in Markdown breaks, each with the paragraph or item."""
    prose = re.sub(r"(?ms)^ *```.*?^ *```", lambda code: "\n" * code.group().count("\n"), text)
    for match in re.finditer(r"(?m)^.+(?:\n(?! *(?:[-*|#]|\d+\.) )(?!\n).+)*", prose):
        line = prose.count("\n", 0, match.start()) + 1
        without_code = re.sub(r"`[^`]*`", "c", match.group())
        passage = Passage(DOCUMENT, line, " ".join(without_code.split()))
        for name, rule in RULES.items():
            if not rule.kinds and re.search(rule.pattern, passage.text):
                yield name, passage


def document_wording() -> Counter[str]:
    """The number of passages of documents that break each rule."""
    return Counter(
        name for path in documents() for name, _ in broken_document_rules(path.read_text())
    )


NAMES_OF_OTHERS = frozenset({"_asdict", "_exit", "_fields", "_replace", "_Element", "_repr_html_"})
"""Public names of others with an underscore: of `os`, named tuples, lxml and IPython."""


def uses_of_any() -> int:
    """The number of times that the type `Any` is named."""
    return sum(
        isinstance(node, ast.Name) and node.id == "Any"
        for path in sources()
        for node in ast.walk(_tree(path))
    )


def private_uses_in_tests() -> int:
    """The number of private attributes and names of the package that tests touch."""
    return sum(_private_uses(path) for path in sources(ROOT / "tests"))


def _private_uses(path: Path) -> int:
    count = 0
    for node in ast.walk(_tree(path)):
        if isinstance(node, ast.Attribute):
            is_own = isinstance(node.value, ast.Name) and node.value.id in ("self", "cls")
            count += _is_private(node.attr) and not is_own and node.attr not in NAMES_OF_OTHERS
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("autosim"):
            count += sum(_is_private(each.name) for each in node.names)
    return count


def _is_private(name: str) -> bool:
    return name.startswith("_") and not name.startswith("__")


def undocumented_fields() -> Iterator[tuple[str, str]]:
    """The place and the name of each public field of a public record that is not documented.

    A field is documented by a text below it, by its name in the docstring of its class, or by the
    description in the declaration of its XML parameter.
    """
    for path in sources():
        for node in ast.walk(_tree(path)):
            if isinstance(node, ast.ClassDef) and _is_record(node):
                described = ast.get_docstring(node) or ""
                for field in _fields_without_text(node):
                    if not re.search(rf"\b{field.id}\b", described):
                        yield f"{path.relative_to(ROOT)}:{field.lineno} {node.name}", field.id


def _is_record(node: ast.ClassDef) -> bool:
    """Whether a class is a public data class or named tuple."""
    decorators = " ".join(map(ast.unparse, node.decorator_list))
    bases = [ast.unparse(each) for each in node.bases]
    return not _is_private(node.name) and ("dataclass" in decorators or "NamedTuple" in bases)


def _fields_without_text(node: ast.ClassDef) -> Iterator[ast.Name]:
    for field, following in pairwise([*node.body, ast.Pass()]):
        if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name):
            is_field = not _is_private(field.target.id)
            if (
                is_field
                and "ClassVar" not in ast.unparse(field.annotation)
                and not _text(following)
                and not _is_declared_with_text(field)
            ):
                yield field.target


def _is_declared_with_text(field: ast.AnnAssign) -> bool:
    """Whether the declaration of a field's XML parameter has a description."""
    metadata = [
        each.value
        for each in getattr(field.value, "keywords", ())
        if each.arg == "metadata" and isinstance(each.value, ast.Call)
    ]
    return any(
        isinstance(each, ast.Constant) and isinstance(each.value, str) and " " in each.value
        for call in metadata
        for each in call.args
    )


def doubled_class_names() -> list[str]:
    """The names of public classes that stand for several classes."""
    names = Counter(
        node.name
        for path in sources()
        for node in _tree(path).body
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_")
    )
    return sorted(name for name, count in names.items() if count > 1)


def longest_function() -> tuple[int, str]:
    """The number of lines of the longest function that is not a kernel, and its place."""
    return max(_lengths())


def _lengths() -> Iterator[tuple[int, str]]:
    for node, place in _functions():
        yield (node.end_lineno or node.lineno) - node.lineno + 1, place


MANY_PARAMETERS = 8
"""Number of parameters beyond which a record of some of them reads better."""


PUBLIC_CONSTRUCTORS = frozenset(
    f"autosim/{file}.py"
    for file in (
        "control/mppi",
        "engine/step/simulation",
        "environments/driving",
        "environments/fleet/fleet_environment",
        "environments/parallel",
    )
)
"""Files whose classes users construct with options by keyword, most of them with a default: a
record of options would only add a second name to each call."""


def functions_of_many_parameters() -> list[tuple[str, int]]:
    """The place of each function that has too many parameters, and how many.

    Kernels are left out, commands, which have a parameter for each of their options, and the
    constructors in `PUBLIC_CONSTRUCTORS`.
    """
    return [
        each
        for each in _parameters()
        if each[1] > MANY_PARAMETERS and not _is_public_constructor(each[0])
    ]


def _is_public_constructor(place: str) -> bool:
    return place.partition(":")[0] in PUBLIC_CONSTRUCTORS and place.endswith(" __init__")


def _parameters() -> Iterator[tuple[str, int]]:
    for node, place in _functions():
        if not any("command(" in ast.unparse(each) for each in node.decorator_list):
            arguments = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
            yield place, sum(each.arg not in ("self", "cls") for each in arguments)


def _functions() -> Iterator[tuple[ast.FunctionDef | ast.AsyncFunctionDef, str]]:
    """The functions that are not kernels, each with its place."""
    for path in sources():
        for node in ast.walk(_tree(path)):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                decorators = {each.id for each in node.decorator_list if isinstance(each, ast.Name)}
                if not decorators & KERNEL_DECORATORS:
                    yield node, f"{path.relative_to(ROOT)}:{node.lineno} {node.name}"


def main(arguments: list[str]) -> None:
    """Prints the measures, or the places at which the named rules are broken."""
    if arguments in (["fields"], ["parameters"]):
        found = undocumented_fields() if "fields" in arguments else functions_of_many_parameters()
        print("\n".join(": ".join(map(str, each)) for each in found))
        return
    for path in sources() if arguments else ():
        for name, passage in broken_rules(path.read_text()):
            if name in arguments:
                print(f"{path.relative_to(ROOT)}:{passage.line}: {passage.text[:160]}")
    for path in documents() if arguments else ():
        for name, passage in broken_document_rules(path.read_text()):
            if name in arguments:
                print(f"{path.relative_to(ROOT)}:{passage.line}: {passage.text[:160]}")
    if arguments:
        return
    lines, place = longest_function()
    print(f"uses of Any                    {uses_of_any()}")
    print(f"private names in tests         {private_uses_in_tests()}")
    print(f"doubled class names            {len(doubled_class_names())}")
    print(f"longest function [lines]       {lines}  {place}")
    print(f"functions of many parameters   {len(functions_of_many_parameters())}")
    print(f"undocumented fields            {len([*undocumented_fields()])}")
    broken = wording()
    print(f"wording                        {broken.total()}")
    print(f"wording of documents           {document_wording().total()}")
    for name, rule in RULES.items():
        print(f"  {name:14} {broken[name]:5}  {rule.instead}")


if __name__ == "__main__":
    main(sys.argv[1:])
