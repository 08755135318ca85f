"""What commands do with records of runs: check, recover, plot, export, open their worlds."""
