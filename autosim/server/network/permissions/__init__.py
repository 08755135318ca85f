"""Who may do what with a server: tokens and their roles, the guard before all calls, encryption."""
