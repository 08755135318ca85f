"""Robots as co-simulation FMUs: `robot_export.py` writes one, `robot_run.py` is what it runs.

`robot_slave.py` is copied into each FMU.
"""
