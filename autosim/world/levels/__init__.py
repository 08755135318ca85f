"""Grade separation: which street lies on which level, and the height of each place there.

Where a street goes from level to level, a transition, both dip under each other by a ramp of 2 %.
Where streets side by side differ in height, a border between their axes divides surfaces, heights
and lanes (`adjacent_streets.py`). A turn that leads past its two streets has heights of its own
(`turn_heights.py`), and so have turning heads (`head_heights.py`). A street of the ground that
leads through the mouth of a tunnel or bridge shares its surface (`shared_mouths.py`).
"""
