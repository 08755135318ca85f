"""The front: gRPC services, their permissions, clients, addresses.

Each client has a slot of one: it gets the newest state, never a queue. Commands go one way, in
batches. A program on a client is the same process over the same memory and channel as on the
server; the client relays its messages, and fills its memory with the state that comes with each
wake-up. `autosim/engine/peer_limits.py` says what one peer may ask.
"""
