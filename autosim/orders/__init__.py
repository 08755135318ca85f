"""Orders to a simulation, each one typed record from the client that gives it to its handler.

A record says by its base class, `Order[T]`, what answers it. One that clients send has its protobuf
message next to it: `to_message` is for the client, `from_message` for the server, and between
them the record travels whole.
"""
