"""A run that simulates nothing: it does what the parameter `does` says, and counts how often.

`python -m tests.applications.sweeps.quick_run FOLDER`, in place of the process of a run.
"""

import json
import os
import signal
import sys
import time
from pathlib import Path

folder = Path(sys.argv[1])
order = json.loads((folder / "run.json").read_text())
with (folder / "starts").open("a") as starts:
    starts.write(f"{os.getpid()}\n")
starts = len((folder / "starts").read_text().splitlines())
does = order["parameters"].get("does", "")

if does == "hang":
    time.sleep(1e4)
if does == "die" or (does == "die once" and starts == 1):
    os.kill(os.getpid(), signal.SIGKILL)
if does == "fail":
    sys.exit("ValueError: no such thing")
if does == "wait":
    while not (folder.resolve().parents[1] / "go").exists():
        time.sleep(0.01)
if does == "full":
    sys.exit(print("the disk is full: no room", file=sys.stderr) or 4)

outcome = {
    "id": order["id"],
    "status": "done",
    "parameters": order["parameters"],
    "seed": order["seed"],
    "measures": {"twice": 2.0 * float(order["parameters"].get("x", 0))},
    "state_digest": "d",
}
(folder / "part").write_text(json.dumps(outcome))
os.replace(folder / "part", folder / "summary.json")
