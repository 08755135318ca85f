"""The paths of vehicles, their routes, and their trips."""
