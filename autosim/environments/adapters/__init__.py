"""Adapters of fleets to libraries of learning that have their own vector interface."""
