"""The town and the models of a simulation as glTF 2.0, which browsers and other programs read."""
