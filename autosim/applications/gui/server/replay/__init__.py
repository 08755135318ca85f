"""The record behind a replay, read from its file: whole curves, and events for the time line."""
