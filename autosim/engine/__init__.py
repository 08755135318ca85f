"""The engine: what steps a world. It knows no network, no window and no renderer.

- `physics/`: PyBullet, bodies and vehicles, and the pieces of the world around them.
- `command_gate/`: the check that every command passes, and the drivers of robots.
- `programs/`: user programs, their turns and deadlines.
- `step/`: the phases of a step, its log, resimulation and replay; `step/simulation.py` is the
  entry.
- `peer_limits.py`: limits on what one peer may ask for; `engine_errors.py`: errors that users see.
"""
