"""Junctions: right of way, room behind them, passing within them, and jams."""
