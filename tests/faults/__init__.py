"""Faults of networks, processes and disks, injected by a seed and judged by a recorded history."""
