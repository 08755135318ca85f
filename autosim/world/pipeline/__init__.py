"""The steps from a map to a compiled world, the scheduler that runs them, and the cache.

`world_recipe.py` lists all steps as calls of the functions in `steps_*.py`: a new step is such a
function and a call. `scheduler.py` runs what is ready, `forked_helpers.py` shares it with forked
helpers, and neither knows what a world is. `cache.py` finds compiled worlds by the digest of their
`world_inputs.py`.
"""
