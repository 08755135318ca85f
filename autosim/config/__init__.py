"""What the configuration files may hold, how they are read, and what is wrong with them."""
