"""Heights of the bare terrain from pictures, SRTM tiles and GeoTIFF files."""
