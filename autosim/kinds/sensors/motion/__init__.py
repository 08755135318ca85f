"""Sensors of motion: rates of turn, accelerations, speeds, the turns of wheels and links."""
