"""Implementation of the functions of a user program: lookups, reads and commands."""
