"""The bodies that wheels push, as the vehicle model sees them."""
