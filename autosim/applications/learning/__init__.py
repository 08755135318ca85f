"""Training of policies: `autosim train`."""
