"""The kinds of parts, links and devices of robots: one module for each.

A kind says in one place which XML elements describe it, with units and documentation; the record
that the loader makes of them; the fields of its node in the state; what it does in a step; whether
it may be set; what it remembers; and which of its values have noise. `kind` says what a kind is,
`registry` lists those that there are.
"""
