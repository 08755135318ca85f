"""Parts shared by the server's window and the client's window."""
