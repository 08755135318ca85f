"""Test benches from the command line: run them, look at their nodes and topics, listen in."""
