"""Traffic signals: who may drive or walk when, where the map has signals.

`signal_plan.py` reads the compiled roads: the lanes that wait at signals, the crossings of people
beside them, what is in conflict, and phases in which nothing in conflict is green (`SignalPlan`).
`controllers.py` shows the phases in turn, one kernel for all of them in each step, and obeys what
programs ask of single signals. `signal_heads.py` tells where the lights stand.
"""
