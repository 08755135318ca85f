"""What a node is: its topics, its loop, its clock; nodes that mix realities."""
