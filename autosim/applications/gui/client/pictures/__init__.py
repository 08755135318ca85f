"""The pictures, the overlays painted over them, and when they are drawn."""
