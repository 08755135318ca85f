"""The simulation process: its loop, its pace, and the front's end of it."""
