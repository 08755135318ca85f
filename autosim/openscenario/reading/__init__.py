"""Reads OpenSCENARIO XML into records; what is not executed is refused by name and line."""
