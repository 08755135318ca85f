"""`autosim sweep`: many runs of one world or scenario, and their results.

A run is one process. Its id is the digest of everything that determines its result, and its folder
has the rest: the order, the result, the log. So the folder of a sweep is its whole state: a
run with a summary is done, one whose lock is held is active, all others wait. A sweep that is
interrupted, killed or started twice loses nothing and does nothing twice.

    study ──► plan ──► executor ──► supervision ──► run (a process) ──► summary.json ──► table
"""
