"""Episodes: how one starts, the simulation or server that runs it, and its pictures."""
