"""From a launch file to a running bench.

- `launch_file.py`: what the file says, with its faults.
- `node_classes.py`: from `pkg` and `type` to the class of a node.
- `bench.py`: all nodes in this process, stepped in turn: the same run gives the same bytes.
- `process_bench.py`, `node_process.py`: a process for each node, here or on other machines.
- `delivery_order.py`: what lets processes go in step.
- `machines.py`: how ssh runs nodes elsewhere, and carries the backend there.
- `summary.py`: what was sent, dropped, rejected, and how late it came.
"""
