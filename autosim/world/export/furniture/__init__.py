"""Objects of a world for map formats: buildings, barriers, poles, trees, crosswalks, structures."""
