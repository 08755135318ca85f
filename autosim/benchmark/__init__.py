"""A driving benchmark: episodes of suites, their traces, infractions and scores.

    suite ──► routes ──► episode (a simulation) ──► trace ──► infractions ──► scores

An episode is one route with one seed. Its trace holds what scores are made of: the motion of the
car, of vehicles and people, and the signals, sampled from the states of the simulation. Scores are
functions of traces alone, so the same states give the same scores, wherever they are computed.
"""
