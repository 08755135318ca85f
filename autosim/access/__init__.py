"""Access to a server: tokens, certificates, and the files by which a user's programs find it."""
