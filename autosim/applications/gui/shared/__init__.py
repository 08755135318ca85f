"""What the server's window and the client's window share."""
