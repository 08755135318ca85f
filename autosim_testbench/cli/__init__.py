"""The command `autosim testbench`, which `autosim.cli.command_table` names."""
