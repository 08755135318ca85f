"""What lies behind the functions of a user program: what they look up, read and send."""
