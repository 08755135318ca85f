"""How messages get from node to node: one seam, and a module for each system that carries them.

A node connects, advertises, subscribes, publishes and processes what came; it does not know which
backend does it. All of them promise the same, and `tests/testbench/backends` holds them to it:

- messages of one publisher on one topic arrive in the order in which they were published;
- a subscriber gets what is published after its subscription stands, and nothing older;
- a subscriber that is too slow loses the oldest messages that wait, and their number is counted;
- a message arrives whole or not at all.
"""
