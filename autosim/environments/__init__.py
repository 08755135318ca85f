"""Environments to learn in, with Gymnasium's interface (pip install 'autosim[learning]').

`driving` is one car in one simulation: what it is asked (`tasks`), told (`observations`) and given
(`rewards`, `endings`) are lists of small records that may be changed and added to. `fleet` is a
thousand cars without forces in one compiled step, which see and do the same. `ids` registers the
environments that come with AutoSim, so that `gymnasium.make("autosim/LaneKeeping-v0")` finds them.
"""
