"""Communication between a program and its host: orders, messages, shared memory, exits."""
