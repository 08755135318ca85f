"""The worlds that a server has: loading, changing, offering them.

A client compares the digests of its tree and of each file with the server's; where one differs, the
server refuses it and names the file. A client without files fetches them and the compiled map, as
they were when the server read them, even if they are edited later. Of a world with an added robot
or another step, the server writes the world file anew.
"""
