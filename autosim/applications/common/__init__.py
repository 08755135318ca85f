"""Parts shared by several commands: files, worlds, values, the terminal."""
