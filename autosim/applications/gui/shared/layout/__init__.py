"""Where the parts of a window are and how they look: dockable panels, foldable forms, colours."""
