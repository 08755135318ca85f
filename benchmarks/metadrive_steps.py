"""Steps per second of MetaDrive, for `environments.py`: run by an interpreter that has it.

    METADRIVE_PYTHON=/path/to/python python benchmarks/environments.py

It needs nothing of AutoSim, whose Panda3D and NumPy may be others. MetaDrive fetches its assets
when it first runs. Prints a row for each case: name, rays, vehicles, steps per second of the
processor.
"""

import sys
import time

SECONDS = 5.0
"""[s] of the processor for each case, where the command line says nothing."""

CASES = (("alone", 0, 0.0), ("alone", 240, 0.0), ("traffic", 240, 0.1))
"""Name, rays, and density of traffic, of which 0.1 is MetaDrive's own choice."""


def rate(environment: object, seconds: float) -> float:
    """Steps per second straight on, with the beginnings of episodes."""
    count, begin = 0, time.process_time()
    while time.process_time() - begin < seconds:
        if any(environment.step([0.0, 0.2])[2:4]):
            environment.reset()
        count += 1
    return count / (time.process_time() - begin)


def main() -> None:
    """Measures all cases."""
    from metadrive.envs import MetaDriveEnv

    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else SECONDS
    for name, rays, density in CASES:
        sensors = {"lidar": {"num_lasers": rays}}
        options = {"traffic_density": density, "log_level": 50, "vehicle_config": sensors}
        environment = MetaDriveEnv(options)
        environment.reset(seed=0)
        rate(environment, 0.2 * seconds)
        vehicles = len(environment.engine.traffic_manager.vehicles)
        print(name, rays, vehicles, f"{rate(environment, seconds):.0f}", flush=True)
        environment.close()


if __name__ == "__main__":
    main()
