"""Traffic: vehicles, people and signals that the world brings along beside its robots.

A world file asks for it with `<Traffic>`; without that element nothing of this package runs. All
that others see of traffic (clients, snapshots, recordings, programs) are the arrays of one node of
the tree, `traffic` (see `traffic_node`): a pool of vehicles and people of a fixed size, and the
state of signals. `vehicle_kinds` has the kinds of vehicles, `world_traffic` is the entry. The
package knows lanes and the arrays of bodies; it knows no physics engine, no renderer and no
network.
"""
