"""The variables of the environment that say how a client shows itself, and knows servers again.

Options of commands are handed on in them to the processes that a command starts.
"""

TOKEN_OPTION = "AUTOSIM_TOKEN_OPTION"
"""The file of the option `--token-file`."""

TOKEN_FILE = "AUTOSIM_TOKEN_FILE"
TOKEN = "AUTOSIM_TOKEN"
FINGERPRINT = "AUTOSIM_FINGERPRINT"
AUTHORITY = "AUTOSIM_CA"
INSECURE = "AUTOSIM_INSECURE"

TOKENS = (TOKEN_OPTION, TOKEN_FILE, TOKEN)
"""Those that lead to a token, which user programs need not know."""
