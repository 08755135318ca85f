"""The error that users can do something about."""


class UserError(Exception):
    """An error for the user who typed the command: what is wrong, where, and what to do."""
