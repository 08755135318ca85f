"""Commands on maps and worlds."""
