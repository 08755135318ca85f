"""AutoSim in the browser: a gateway that serves pages, states and calls of one gRPC server.

The gateway is a client of the server like any other one. It runs in its own process, subscribes
once, encodes each state once and sends the same bytes to every viewer.

`streaming/state_channels.py` selects what pictures need from the state, `streaming/encoding.py`
turns it into integers and packets; `docs/browser.md` describes the packets for authors of other
viewers.
"""
