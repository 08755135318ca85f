"""The colours of the town: sRGB and matness (255 matt; less reflects the sky)."""

from autosim.world.geometry.meshes import Surface

Colour = tuple[int, int, int, int]
"""Red, green and blue (sRGB), and matness (255 is matt, less reflects the sky), each 0..255."""

COLOURS: dict[Surface, Colour] = {
    Surface.GROUND: (126, 138, 82, 255),
    Surface.CARRIAGEWAY: (92, 93, 97, 255),
    Surface.PAVEMENT: (172, 166, 156, 255),
    Surface.KERB: (208, 206, 200, 255),
    Surface.PARK: (104, 132, 74, 255),
    Surface.WATER: (66, 98, 116, 90),
    Surface.CONCRETE: (176, 174, 168, 255),
    Surface.PAVING: (160, 155, 147, 255),
    Surface.SETT: (138, 133, 128, 255),
    Surface.ASPHALT: (112, 112, 114, 255),
    Surface.GRAVEL: (172, 158, 134, 255),
}
"""Of the ground level, bridges and tunnels; textures only vary around them."""

TEXTURE_METRES: dict[Surface, float] = {
    Surface.GROUND: 6.0,
    Surface.CARRIAGEWAY: 4.0,
    Surface.PAVEMENT: 2.4,
    Surface.KERB: 1.0,
    Surface.PARK: 6.0,
    Surface.WATER: 12.0,
    Surface.WALL: 3.0,
    Surface.ROOF: 3.0,
    Surface.CONCRETE: 3.0,
    Surface.PAVING: 2.4,
    Surface.SETT: 1.6,
    Surface.ASPHALT: 4.0,
    Surface.GRAVEL: 4.0,
}
"""Width [m] that one repetition of the texture covers."""

WALL_COLOURS: tuple[Colour, ...] = (
    (224, 214, 192, 255),
    (232, 226, 214, 255),
    (214, 190, 156, 255),
    (201, 170, 140, 255),
    (190, 196, 196, 255),
    (222, 204, 170, 255),
    (176, 128, 104, 255),
    (205, 208, 190, 255),
    (238, 232, 222, 255),
    (196, 160, 132, 255),
)
"""Colours (sRGB and matness) of plaster and brick: chosen by eye, as in towns of central
Europe. A building takes one by its place."""

PITCHED_ROOF_COLOURS: tuple[Colour, ...] = (
    (164, 88, 62, 255),
    (148, 78, 58, 255),
    (122, 82, 68, 255),
    (104, 98, 98, 255),
)
"""Colours (sRGB and matness) of clay tiles and slate: chosen by eye."""

FLAT_ROOF_COLOURS: tuple[Colour, ...] = (
    (150, 146, 140, 255),
    (132, 130, 128, 255),
    (168, 160, 148, 255),
)
"""Colours (sRGB and matness) of gravel and roofing felt: chosen by eye."""

HORIZON = (0.74, 0.82, 0.88)
"""sRGB of the sky at the horizon; distance fades into it."""
ZENITH = (0.27, 0.47, 0.75)
"""sRGB of the sky overhead."""

DECAL_COLOURS: dict[Surface, Colour] = {
    Surface.PAINT: (226, 226, 220, 255),
    Surface.PAINT_YELLOW: (224, 178, 52, 255),
    Surface.BALLAST: (134, 124, 114, 255),
    Surface.RAIL: (84, 78, 76, 255),
}
OBSTACLE_COLOURS: dict[Surface, Colour] = {
    Surface.MASONRY: (170, 158, 144, 255),
    Surface.TIMBER: (158, 142, 118, 255),
    Surface.HEDGE: (84, 110, 58, 255),
    Surface.DOOR: (96, 70, 52, 255),
    Surface.SHOP_WINDOW: (74, 90, 102, 90),
    Surface.AWNING: (196, 92, 78, 255),
    Surface.STEEL: (104, 108, 110, 255),
    Surface.SIGN: (60, 104, 176, 255),
}

PAINTS = (
    *((198, 200, 203), (44, 46, 50), (232, 233, 232), (96, 99, 104)),
    *((36, 62, 112), (150, 30, 32), (52, 84, 66), (168, 152, 124)),
)
"""Colours (sRGB, 0..255) of cars in the shares of today's: silver, black, white and grey first."""
