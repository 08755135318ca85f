"""`autosim vehicle`: one vehicle by itself, on level ground."""
