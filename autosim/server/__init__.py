"""The server: physics, the step, the devices that need physics, the network, user programs."""
