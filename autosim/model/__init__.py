"""The simulated tree, its state in one buffer, commands, noise. Knows no engine and no network.

Everything simulated is a node of one tree: robots, their parts, the devices on the parts
(`tree.py`). The complete tree is laid out once, depth first, into one contiguous buffer of
eight-byte words (`state.py`). A subtree's bitstream is its slice of the buffer, and reading a
sensor is reading a slice. Every process builds the tree from the same files with
`autosim.kinds.director`, so a name like `impreza.chassis.gyro_yaw` leads to the same slice
everywhere.

`snapshot.py` carries robots from one simulation to the next: their bitstreams, and what their
devices remember beside the state.
"""
