"""The environment variables with a client's token, and with the certificates that it trusts.

A command passes its options in them to the processes that it starts.
"""

TOKEN_OPTION = "AUTOSIM_TOKEN_OPTION"
"""The file of the option `--token-file`."""

TOKEN_FILE = "AUTOSIM_TOKEN_FILE"
TOKEN = "AUTOSIM_TOKEN"
FINGERPRINT = "AUTOSIM_FINGERPRINT"
AUTHORITY = "AUTOSIM_CA"
INSECURE = "AUTOSIM_INSECURE"

TOKENS = (TOKEN_OPTION, TOKEN_FILE, TOKEN)
"""The variables that lead to a token; user programs do not get them."""
