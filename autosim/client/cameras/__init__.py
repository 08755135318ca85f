"""Where cameras are and what they see."""
