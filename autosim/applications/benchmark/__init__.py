"""`autosim benchmark`: runs the episodes of a suite on the executors of sweeps, and reports them.

suite + agent ──► plan ──► sweep folder ──► results.json, results.csv or .parquet, report.html
"""
