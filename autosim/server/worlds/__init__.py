"""The worlds that a server has: loading, changing, offering them.

A client compares the digests of its tree and of each file with the server's; if one differs, the
server refuses it and names the file. A client without files downloads them and the compiled map, as
they were when the server read them, even if they are edited later. For a world with an added robot
or another step size, the server writes a new world file.
"""
