"""Vehicles and people of traffic as they are drawn: hundreds, from the arrays of one node.

`rigs` makes arrays of the models: of which pieces each consists and how these move. `posing` puts
what a camera sees of all of them into one mesh for each picture, in compiled kernels, so that the
scene has a handful of nodes however many there are. `traffic_nodes` holds those nodes, `lamp_glows`
the light of lamps.
"""
