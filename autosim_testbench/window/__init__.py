"""The test bench's window: nodes, topics, modes and figures of a running bench (needs PyQt6).

The bench runs in its own thread, and its nodes in that thread or in processes, so that neither
waits for the other.

- `bench_snapshot.py`: the content of the window at one time; knows no Qt.
- `bench_runner.py`: the thread that runs the bench, and its signals to the window.
- `nodes_table.py`, `topics_table.py`, `figure_tabs.py`: the parts of `bench_window.py`.
- `bench_app.py`: opens the window and waits until it is closed.
"""
