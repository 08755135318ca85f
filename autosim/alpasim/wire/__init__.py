"""Messages of AlpaSim's services, generated from `proto/alpasim_grpc/` (NVIDIA, Apache-2.0)."""
