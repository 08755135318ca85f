"""The process of a user program: how it starts, is confined, runs, ends, and starts again."""
