"""From OpenStreetMap and heights to one watertight mesh and a network of lanes.

Heights come first: one sparse least-squares problem over all streets gives each a profile
(`profiles/`). The streets are then divided into levels on which every place has one height
(`levels/`): the ground is level 0; bridges and tunnels lie on as many more as they need. Every
level is made in the same way: one planar partition, one constrained Delaunay triangulation
(`surfaces/`), one height function. So each is watertight by construction, and the same meshes serve
physics and graphics. Structures, ground, buildings, traffic rules, markings and scenery follow;
`validation/` measures the result in each build and names the cause at each worst place.

Operations that combine shapes in plan go through `geometry/overlays.py`, which repairs, rounds or
at last leaves out a shape that GEOS fails on, so that one element never costs a world.

What is for the eye alone (markings, rails, trees, lamps) lies in meshes of its own and never in the
collision mesh; what collides of it (trunks, posts, walls) lies in `CompiledWorld.obstacles`.
"""
