"""Lanes and connectors in plan, and routes over them."""
