"""The error that users can do something about."""


class UserError(Exception):
    """What is wrong, where, and what to do, in words for the person who typed the command."""
