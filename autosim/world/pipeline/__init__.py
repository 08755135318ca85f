"""The steps from a map to a compiled world, the scheduler that runs them, and the cache.

`world_pipeline.py` lists all steps with what each takes and gives; the functions are in
`steps_*.py`, by what they make. `scheduler.py` runs what is ready, `processes.py` shares it with
forked helpers, and neither knows what a world is. `cache.py` finds compiled worlds by the digest of
their `world_inputs.py`.
"""
