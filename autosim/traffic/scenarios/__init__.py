"""Scenarios: actors that follow a test's instructions, and criteria to pass.

`actors.py` moves them: along lanes, beside them, along paths. `conditions.py` evaluates
conditions, `scenario_run.py` triggers events and judges. A scenario comes from its own file
(`scenario_file.py`) or from a Python program; the records are those of `autosim.config.scenarios`.
Storyboards of OpenSCENARIO (`storyboard_file.py`) are executed by `autosim.openscenario`, and shown
by `storyboard_run.py`.
"""
