"""Who may talk to a server: what servers and clients of one user know of each other."""
