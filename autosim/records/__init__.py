"""Records of runs: MCAP files with all states, commands and messages, and how they are written.

A simulation puts what happens into a ring in shared memory (`ring`); a separate process writes it
to the disk (`writer_process`), so that no step waits for a compressor. `record_file` reads and
checks records, `recovery` makes a whole file of one whose writer was killed.
"""
