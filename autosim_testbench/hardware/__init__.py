"""Microcontrollers in a bench: a serial link with frames, and boards that are real or emulated.

- `framing.py`: bytes on the line as frames that are whole or not there.
- `board_frames.py`: what a frame holds: a topic, a kind of message, the board's time, the message.
- `firmware.py`: sketches for boards: built, and written to a board.
- `emulated_board.py`: an Arduino Uno that simavr emulates, with the sensors on its pins.
- `boards.py`: the nodes of the bench.
- `c_header.py`: the messages in C, for `firmware/`.
"""
