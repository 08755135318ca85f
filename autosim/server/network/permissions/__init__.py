"""Permissions: tokens and their roles, the guard before all calls, encryption."""
