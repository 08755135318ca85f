"""The compiled world as users hold it: arrays, file, tiles, look-ups."""
