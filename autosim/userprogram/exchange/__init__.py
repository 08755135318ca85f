"""What a program and its host pass each other: orders, messages, shared memory, how it ended."""
