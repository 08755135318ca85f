"""A test bench: the same robot software against a simulated vehicle, a real one, or a mixture.

Nodes exchange messages over topics and know nothing of each other. What a robot senses and what it
does pass through combiners and splitters, which take the physical side, the virtual side, or both.

- `messages/`: what is sent: typed fields of a fixed size, with the time and the number of each.
- `nodes/`: what a node is, its loop, and the nodes that mix realities.
- `backends/`: how messages get from node to node; a node does not know which one carries them.

The terms are those of N. D. Gonda, "A Framework for Test & Evaluation of Autonomous Systems Along
the Virtuality-Reality Spectrum", Old Dominion University, 2019.
"""
