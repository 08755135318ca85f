"""The front: gRPC services, who may call them, clients, addresses."""
