"""What can go wrong with pictures."""


class RendererError(Exception):
    """No picture can be drawn, or not as asked; the message names the missing property."""
