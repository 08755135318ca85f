"""The paints of the models of traffic.

Some are dyes: clients draw what has one in a colour of the single vehicle or person, or as bright
as its lights are. In model files a dye is a pure colour that nothing else has.
"""

from autosim_assets.obj_sketch import Paint

BODY = Paint("body", (1.0, 0.0, 1.0), 0.4)
"""The first dye, on vehicles their paint."""

CLOTH = Paint("cloth", (1.0, 0.0, 1.0), 1.0)
"""The first dye, matt: what people wear above."""

TROUSERS = Paint("trousers", (0.0, 1.0, 1.0), 1.0)
"""The second dye: what they wear below."""

SKIN = Paint("skin", (1.0, 1.0, 0.0), 1.0)
"""The third dye."""

HEAD_LIGHT = Paint("head_light", (1.0, 1.0, 1.0), 0.4)
REAR_LIGHT = Paint("rear_light", (1.0, 0.0, 0.0), 0.7)
INDICATOR = Paint("indicator", (1.0, 0.5, 0.0), 0.7)
"""The dyes of lights: bright where they are on."""

GLASS = Paint("glass", (0.07, 0.09, 0.11), 0.15)
INSIDE = Paint("inside", (0.16, 0.155, 0.15), 0.35)
"""Seats and people behind panes: darker than in the open, and the pane shines before them."""

TRIM = Paint("trim", (0.07, 0.07, 0.08), 0.9)
TYRE = Paint("tyre", (0.09, 0.09, 0.095), 1.0)
RIM = Paint("rim", (0.50, 0.50, 0.52), 0.6)
CHROME = Paint("chrome", (0.72, 0.73, 0.75), 0.4)
PLATE = Paint("plate", (0.93, 0.93, 0.88), 1.0)
LETTERS = Paint("letters", (0.08, 0.09, 0.14), 1.0)
SIGN = Paint("sign", (0.95, 0.72, 0.16), 0.8)
CANVAS = Paint("canvas", (0.80, 0.80, 0.77), 1.0)
STEEL = Paint("steel", (0.30, 0.31, 0.33), 0.8)
SOIL = Paint("soil", (0.42, 0.34, 0.26), 1.0)
HAIR = Paint("hair", (0.20, 0.14, 0.10), 1.0)
GREY_HAIR = Paint("grey_hair", (0.55, 0.54, 0.52), 1.0)
DARK_HAIR = Paint("dark_hair", (0.09, 0.075, 0.07), 1.0)
FAIR_HAIR = Paint("fair_hair", (0.62, 0.48, 0.28), 1.0)
BAG = Paint("bag", (0.30, 0.20, 0.15), 1.0)
BROLLY = Paint("brolly", (0.0, 1.0, 1.0), 1.0)
"""The second dye, on umbrellas and prams."""

LINEN = Paint("linen", (0.80, 0.80, 0.78), 1.0)
FUR = Paint("fur", (0.45, 0.31, 0.18), 1.0)
SHOES = Paint("shoes", (0.12, 0.10, 0.09), 1.0)
