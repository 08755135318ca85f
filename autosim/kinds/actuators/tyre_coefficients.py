"""The names of the Magic Formula's coefficients, as `.tir` files write them.

Source: Pacejka, Tyre and Vehicle Dynamics, 3rd ed., 2012, section 4.3 and appendix 3; Besselink,
Schmeitz and Pacejka, An improved Magic Formula/Swift tyre model that can handle inflation pressure
changes, Vehicle System Dynamics 48 (2010).
"""

SCALES = (
    *("LFZO", "LCX", "LMUX", "LEX", "LKX", "LHX", "LVX"),
    *("LCY", "LMUY", "LEY", "LKY", "LHY", "LVY", "LKYC", "LKZC"),
    *("LXAL", "LYKA", "LVYKA", "LSGKP", "LSGAL", "LTR"),
)
"""Factors on parts of the formula; 1 where they are not given. LKYC, which some files call LKZC,
is that of the camber stiffness."""

CONDITIONS = {
    "FNOMIN": 4000.0,
    "UNLOADED_RADIUS": 0.0,
    "NOMPRES": 220_000.0,
    "INFLPRES": 0.0,
    "LONGITUDINAL_STIFFNESS": 0.0,
    "LATERAL_STIFFNESS": 0.0,
}
"""Reference values, with their defaults in SI units: load [N], radius [m] (0: that of the wheel),
pressures [Pa] (INFLPRES 0: as NOMPRES), stiffness [N/m] of the carcass (0: not given)."""

LONGITUDINAL = (
    *("PCX1", "PDX1", "PDX2", "PDX3", "PEX1", "PEX2", "PEX3", "PEX4", "PKX1", "PKX2", "PKX3"),
    *("PHX1", "PHX2", "PVX1", "PVX2", "PPX1", "PPX2", "PPX3", "PPX4"),
    *("RBX1", "RBX2", "RBX3", "RCX1", "REX1", "REX2", "RHX1", "PTX1", "PTX2", "PTX3"),
)
"""Of the force along the wheel, pure and combined, and of its relaxation."""

LATERAL = (
    *("PCY1", "PDY1", "PDY2", "PDY3", "PEY1", "PEY2", "PEY3", "PEY4", "PEY5"),
    *("PKY1", "PKY2", "PKY3", "PKY4", "PKY5", "PKY6", "PKY7"),
    *("PHY1", "PHY2", "PHY3", "PVY1", "PVY2", "PVY3", "PVY4"),
    *("PPY1", "PPY2", "PPY3", "PPY4", "PPY5"),
    *("RBY1", "RBY2", "RBY3", "RBY4", "RCY1", "REY1", "REY2", "RHY1", "RHY2"),
    *("RVY1", "RVY2", "RVY3", "RVY4", "RVY5", "RVY6", "PTY1", "PTY2"),
    "QDZ1",
)
"""Of the force across the wheel, and of its trail."""

DEFAULTS: dict[str, float] = {
    **CONDITIONS,
    **dict.fromkeys(SCALES, 1.0),
    **dict.fromkeys((*LONGITUDINAL, *LATERAL), 0.0),
    "PKY4": 2.0,
}
"""Every coefficient, with its value where none is given."""

REQUIRED = ("FNOMIN", "PCX1", "PDX1", "PKX1", "PCY1", "PDY1", "PKY1", "PKY2")
"""Coefficients that every file must have: without them there is no force, or no reference."""
