"""Scenarios of vehicles that were recorded: tables of tracks, and CommonRoad."""
