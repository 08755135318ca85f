"""Bridges and tunnels as solids.

Decks become closed solids with parapets, tunnels get walls and ceilings; where a tunnel would come
out of the ground it becomes an open cutting.
"""
