"""Commands on records of runs: check, recover, plot, export, open their worlds."""
