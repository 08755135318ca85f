"""Scores of episodes: functions of a trace, its route and its infractions."""
