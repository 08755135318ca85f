"""Vertical alignment: the height of each street along its axis.

The solver weighs terrain and smoothness; before them it holds the grade limit of each class, the
least radius of crests and sags, the clearance where streets cross at different levels, and the
height of bridges above water and railways. Streets that share one surface get equal heights where
that is feasible.
"""
