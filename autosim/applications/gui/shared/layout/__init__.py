"""Layout and look of windows: dockable panels, foldable forms, colours."""
