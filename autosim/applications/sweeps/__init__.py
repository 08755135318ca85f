"""`autosim sweep`: many runs of one world or scenario, and what came of them.

A run is one process. Its id is the digest of all that decides its result, and its folder has the
rest: what to run, what came of it, its log. So the folder of a sweep is all the state there is: a
run that has a summary is done, one whose lock is held is being run, all others wait. Whoever is
interrupted, killed or started twice loses nothing and does nothing twice.

    study ──► plan ──► executor ──► supervision ──► run (a process) ──► summary.json ──► table
"""
