"""Errors of rendering."""

from autosim.errors import UserError


class RendererError(UserError):
    """No picture can be drawn, or not as asked; the message names the missing property."""
