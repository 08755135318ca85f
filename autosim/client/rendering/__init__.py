"""The seam to the graphics engine: what windows, programs and recordings ask of a renderer."""
