"""`python -m autosim` is the command `autosim`."""

from autosim.cli import main

main()
