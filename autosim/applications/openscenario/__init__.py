"""Runs, checks and lists OpenSCENARIO files, and tabulates whole folders of them."""
