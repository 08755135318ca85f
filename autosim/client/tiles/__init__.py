"""The world as it is drawn: its tiles, from near and from afar, and what can be left out.

`tile_meshes.py` cuts one tile out of the mapped file, as pieces in full detail and as one mesh in
mean colours. Level-of-detail nodes choose between them by the place of the camera, and their
choices exist before the picture is drawn: so a program's picture is a function of the state. Only
windows stream, one tile for each picture.

Where the processor draws, everything beside the picture or behind the walls of houses is culled
before it (`culling.py`, `occlusion.py`), and the picture stays the same to the byte. Two things are
drawn otherwise than they collide: kerbs are upright stones (`ground/kerbs.py`), and what lies under
the ground is drawn from near alone (`ground/underground.py`).
"""
