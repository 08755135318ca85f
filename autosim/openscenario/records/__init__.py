"""The content of an OpenSCENARIO file as typed records, in SI units, parameters replaced."""
