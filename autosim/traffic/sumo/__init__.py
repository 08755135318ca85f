"""SUMO beside this engine: its network from our lanes, and itself as the engine of the vehicles."""
