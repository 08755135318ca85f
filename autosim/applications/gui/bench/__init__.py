"""The test bench's window: nodes, topics, modes and figures of a bench that runs (needs PyQt6).

The bench runs in a thread of its own, and its nodes in that thread or in processes, so that neither
waits for the other.

- `bench_snapshot.py`: what the window shows of a bench at one moment; knows no Qt.
- `bench_runner.py`: the thread that runs the bench, and what it tells the window.
- `nodes_table.py`, `topics_table.py`, `figure_tabs.py`: the parts of `bench_window.py`.
- `bench_app.py`: opens the window and waits until it is closed.
"""
