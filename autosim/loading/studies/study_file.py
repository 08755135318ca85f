"""Reads a study, from XML or from Python, and finds its faults before anything runs."""

import ast
import runpy
from collections import Counter
from dataclasses import replace
from itertools import islice, product
from pathlib import Path
from traceback import extract_tb
from typing import TypeVar

from lxml import etree

from autosim.config.arguments import split_arguments
from autosim.config.diagnostics import ConfigError, Diagnostics, printable
from autosim.config.files.lookup import PathError, locate
from autosim.config.reading.attribute_values import suggestion
from autosim.config.reading.blocks import Block
from autosim.config.reading.faults import Faults, check_unique
from autosim.config.reading.record_reader import read_record
from autosim.config.reading.sources import Source, open_source, read_block
from autosim.config.reading.xml_reader import UnreadableError, read_bytes, require_plain_file
from autosim.config.schemas.study import STUDY
from autosim.config.studies import (
    SCENARIO_FILE,
    SEED,
    Measure,
    Parameter,
    Setting,
    Study,
)
from autosim.kinds.director import build_tree
from autosim.kinds.plugins import ALL_PLUGINS, PluginPolicy
from autosim.loading.studies.attribute_paths import AttributePathError
from autosim.loading.studies.measure_columns import check_measures
from autosim.loading.studies.points import grid_values, value_text
from autosim.loading.studies.study_inputs import (
    StudyInputs,
    filled,
    open_inputs,
    placeholders,
    require_scenario,
)
from autosim.loading.world_file import OsmChecker

EntryT = TypeVar("EntryT")

PYTHON = ".py"
"""The ending of studies that are programs."""

_MOST_TRIED = 1000
"""Number of values that are tried of a setting before anything runs: it takes a second."""


_LONGEST_REASON = 300
"""Number of characters of what a program's error says."""


def load_study(
    path: str | Path, diagnostics: Diagnostics | None = None
) -> tuple[Study, StudyInputs]:
    """Reads a study file (`.xml`), or runs a study that is a program (`.py`) and defines `study`.

    Args:
        path: of the file, from the working directory or a search root.
        diagnostics: receives the warnings, also where there is no error.

    Raises:
        ConfigError: the study, its world or its scenario has faults; all are named with their
            lines.
    """
    found = Diagnostics() if diagnostics is None else diagnostics
    file, _ = locate(path, None)
    if file.suffix == PYTHON:
        study, inputs = run_study(file, found)
    else:
        source = open_source(file, found)
        study = _read(source) if source else None
        inputs = check_study(study, Faults(file, found), found) if study else None
    if study is None or inputs is None or found.errors:
        raise ConfigError(found.all)
    return study, inputs


def read_study(
    source: Source,
    osm_checker: OsmChecker | None = None,
    plugins: PluginPolicy = ALL_PLUGINS,
) -> Study | None:
    """The study of a file; None, with diagnostics, if it has errors."""
    study = _read(source)
    if study is not None:
        check_study(study, source.faults, source.faults.diagnostics, osm_checker, plugins)
    return study


def parse_study(file: Path, found: Diagnostics) -> None:
    """Finds the faults that a study in Python shows without being run.

    An error says that it was not run, so that it does not pass for checked.
    """
    faults = Faults(file, found)
    try:
        ast.parse(read_bytes(file), str(file))
    except UnreadableError as error:
        faults.error(error.line, str(error))
    except SyntaxError as error:
        faults.error(error.lineno or 0, f"SyntaxError: {error.msg}")
    except (ValueError, RecursionError, MemoryError) as error:
        faults.error(0, f"cannot be parsed: {printable(str(error), _LONGEST_REASON)}")
    else:
        faults.error(
            0,
            "a study in Python is a program, and was not run: its syntax is right, its runs were "
            "not checked. If you trust it, autosim check --trust runs it",
        )


def run_study(
    file: Path, found: Diagnostics, osm_checker: OsmChecker | None = None
) -> tuple[Study | None, StudyInputs | None]:
    """Runs a study that is a program; None, with diagnostics, for what has errors."""
    faults = Faults(file, found)
    study = _run_program(file, faults)
    return study, check_study(study, faults, found, osm_checker) if study else None


def check_study(
    study: Study,
    faults: Faults,
    found: Diagnostics,
    osm_checker: OsmChecker | None = None,
    plugins: PluginPolicy = ALL_PLUGINS,
) -> StudyInputs | None:
    """Finds the faults of a study, and of the files that it refers to."""
    _check_parameters(study, faults)
    try:
        require_scenario(study)
    except PathError as error:
        faults.error(study.scenario_line, f"<Scenario>: {error}")
        return None
    inputs = open_inputs(study, found, osm_checker, plugins)
    if inputs is None:
        return None
    if study.seconds is None and inputs.scenario is None:
        faults.error(1, "a study without a scenario needs the attribute 'seconds'")
    _check_settings(study, inputs, faults)
    if study.measures and (plugins.may_run or not _has_plugins(inputs)):
        check_measures(study.measures, build_tree(inputs.world), faults)
    return inputs


def _has_plugins(inputs: StudyInputs) -> bool:
    """Whether a robot of the world has devices that only a plug-in defines."""
    return any(each.root.find("Plugin") is not None for each in inputs.files.values())


def _run_program(file: Path, faults: Faults) -> Study | None:
    try:
        require_plain_file(file)
        found = runpy.run_path(str(file)).get("study")
    except UnreadableError as error:
        faults.error(error.line, str(error))
        return None
    except Exception as error:  # whatever a user's program raises
        message = f"{type(error).__name__}: {printable(str(error), _LONGEST_REASON)}"
        faults.error(_line_in(file, error), message)
        return None
    if not isinstance(found, Study):
        faults.error(0, "a study in Python defines: study = autosim.config.studies.Study(…)")
        return None
    return replace(found, source=file)


def _line_in(file: Path, error: Exception) -> int:
    """The last line of a program that led to an error; 0 where none did."""
    if isinstance(error, SyntaxError):
        return error.lineno or 0
    own = [each for each in extract_tb(error.__traceback__) if each.filename == str(file)]
    return (own[-1].lineno or 0) if own else 0


def _read(source: Source) -> Study | None:
    block = read_block(source, STUDY)
    if block is None:
        return None
    faults = source.faults
    check_unique([*block.all("Parameter")], faults)
    check_unique([*block.all("Measure")], faults)
    for each in block.all("Parameter"):
        _check_form(each, faults)
    if faults.has_errors:
        return None
    seeds = block.section("Seeds")
    first = int(seeds.own_real("first"))
    return read_record(
        Study,
        block,
        parameters=_all(Parameter, block, "Parameter"),
        settings=_all(Setting, block, "Set"),
        measures=_all(Measure, block, "Measure"),
        seeds=tuple(range(first, first + int(seeds.own_real("count")))),
        source=source.path,
        scenario_line=block.line_of("Scenario"),
    )


def _all(record: type[EntryT], block: Block, tag: str) -> tuple[EntryT, ...]:
    return tuple(read_record(record, each, line=each.line) for each in block.all(tag))


def _check_form(block: Block, faults: Faults) -> None:
    """A parameter has values, or a range."""
    ends = [name for name in ("from", "to") if name in block.values]
    if "values" in block.values:
        others = [name for name in ("from", "to", "count") if name in block.values]
        if others:
            faults.error(block, f"{block.title} has 'values': it takes no '{others[0]}'")
        elif not split_arguments(str(block.values["values"])):
            faults.error(block, f"{block.title} has no values")
    elif len(ends) < 2:
        faults.error(block, f"{block.title} takes either 'values', or 'from' and 'to'")


def _check_parameters(study: Study, faults: Faults) -> None:
    for name, count in Counter(each.name for each in study.parameters).items():
        if count > 1:
            faults.error(0, f"there are {count} parameters '{name}'")
    for each in study.parameters:
        if each.name == SEED:
            faults.error(
                each.line, f"'{SEED}' is the seed of a run: give the parameter another name"
            )
        _check_range(each, faults)
    if study.cases:
        return
    sampled = [each for each in study.parameters if each.is_sampled]
    if sampled and not study.samples:
        names = ", ".join(f"'{each.name}'" for each in sampled)
        faults.error(
            sampled[0].line,
            f"{names} has a range: give it a 'count' of values to try, or the study "
            '<Samples count="…"/>',
        )
    if study.samples and not sampled:
        faults.warning(1, "<Samples> draws nothing: no parameter has a range without a count")


def _check_range(parameter: Parameter, faults: Faults) -> None:
    fault = _fault_of_range(parameter)
    if fault:
        faults.error(parameter.line, f"parameter '{parameter.name}' {fault}")


def _fault_of_range(parameter: Parameter) -> str:
    """The fault in the values of a parameter; "" where there is none."""
    low, high = parameter.low, parameter.high
    if parameter.values:
        return ""
    if low is None or high is None:
        return "has neither values nor a range"
    if low >= high:
        return f"goes from {low:g} to {high:g}, which is not more"
    if parameter.is_log and low <= 0.0:
        return "has a scale of ratios, which begins above 0"
    return ""


def _check_settings(study: Study, inputs: StudyInputs, faults: Faults) -> None:
    sound = [each for each in study.parameters if not _fault_of_range(each)]
    known = {each.name: list(grid_values(each)) for each in sound}
    for case in study.cases:
        for name, value in case.items():
            known.setdefault(name, []).append(value_text(value))
    known[SEED] = [str(each) for each in study.seeds[:1]]
    used = set()
    for setting in study.settings:
        names = list(dict.fromkeys(placeholders(setting.text)))
        used |= {*names}
        unknown = [name for name in names if name not in known]
        for name in unknown:
            hint = suggestion(name, known)
            faults.error(setting.line, f"there is no parameter '{printable(name)}'{hint}")
        if not unknown:
            _try_values(setting, {name: known[name] for name in names}, inputs, faults)
    for each in study.parameters:
        if each.name not in used:
            faults.warning(each.line, f"parameter '{each.name}' changes nothing: no <Set> names it")


def _try_values(
    setting: Setting, values: dict[str, list[str]], inputs: StudyInputs, faults: Faults
) -> None:
    """Tells the first value that a setting does not take."""
    roots: dict[str, etree._Element] = {}
    for chosen in islice(product(*values.values()), _MOST_TRIED):
        point = dict(zip(values, chosen, strict=True))
        try:
            inputs.apply(setting, filled(setting.text, point, 0), roots)
        except AttributePathError as error:
            hint = ""
            if setting.file == SCENARIO_FILE and SCENARIO_FILE not in inputs.files:
                hint = ': <Set> says which by file="…"'
            faults.error(setting.line, f"{error}{hint}")
            return
