"""Generators of the shipped models, of the demonstration town and of the race track.

Nothing in AutoSim imports them: each writes files that are under version control.

- `make_models.py` (`make models`): `models/`, from the sketches of cars, people and scenery.
- `make_circle_town.py`: the map of the demonstration town.
- `make_cone_track.py`: a race track of cones, with its map and its world.
"""
