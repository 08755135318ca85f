"""Commands that talk to a running server: orders, tokens, user programs."""
