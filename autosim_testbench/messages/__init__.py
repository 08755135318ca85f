"""Messages of nodes: typed fields of a fixed size in an envelope with time and number."""
