"""Scenarios: actors that do what a test says, when it says so, and criteria to pass.

`actors.py` moves them: along lanes, beside them, along paths. `conditions.py` looks at what is
true, `scenario_run.py` lets events happen and judges. A scenario comes from a file of its own
(`scenario_file.py`), from OpenSCENARIO (`openscenario.py`) or from a Python program; the records
are those of `autosim.config.scenarios`.
"""
