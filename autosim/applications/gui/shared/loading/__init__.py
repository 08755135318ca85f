"""Loading a world into a window: in another process, with progress and Cancel."""
