"""The kinds of parts, links and devices of robots: one module for each.

A kind declares in one place the XML elements that describe it, with units and documentation; the
record that the loader makes of them; the fields of its node in the state; its work in a step;
whether it can be set; its memory; and which of its values have noise. `kind` defines what a kind
is, `registry` lists all kinds.
"""
