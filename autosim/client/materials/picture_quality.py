"""Tiers of quality of pictures in colour: what each pixel costs, and nothing that is measured."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class PictureQuality:
    """Costs of a tier beyond those of the fastest one; geometry is the same in all tiers.

    Attributes:
        multisamples: least number of samples for each pixel.
        blends_levels: whether two levels of a texture's detail are blended, also where the
            processor draws.
        anisotropy: greatest number of samples of a texture at a flat angle; 1 for none.
        shadow_scale: factor on the edge [pixels] of the shadow map.
        has_soft_shadows: whether edges of shadows are means of four places.
    """

    multisamples: int = 0
    blends_levels: bool = False
    anisotropy: int = 1
    shadow_scale: int = 1
    has_soft_shadows: bool = False


QUALITIES: Mapping[str, PictureQuality] = {
    "fast": PictureQuality(),
    "balanced": PictureQuality(multisamples=4, blends_levels=True),
    "high": PictureQuality(
        multisamples=4,
        blends_levels=True,
        anisotropy=8,
        shadow_scale=2,
        has_soft_shadows=True,
    ),
}
"""The tiers by the name that a world file gives them."""
