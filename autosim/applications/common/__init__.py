"""What several commands share: files, worlds, values, the terminal."""
