"""Control: a robot chooses its next actions by sampling many plans from its belief.

Arithmetic alone, as in `autosim.estimation`, whose belief and track it takes: it knows no tree, no
devices and no files, so that programs, tests and benchmarks call it alike.

- `car_models.py`: how cars move, written once for compiled kernels and for arrays of any library.
- `costs.py`: what a plan costs, as data, and where the track is looked up.
- `rollout_noise.py`: normal numbers that follow from a seed and a place alone.
- `obstacle_grid.py`: what is in the way, drawn into a grid.
- `rollouts.py`: thousands of plans at once, in threads of the processor.
- `array_rollouts.py`: the same on arrays of NumPy, PyTorch or CuPy, whose differences are in
  `array_libraries.py`.
- `manoeuvres.py`: forwards and backwards in narrow places, such as into a parking place.
- `mppi.py`: the controller; `controller_warm_up.py` compiles it ahead.
"""
