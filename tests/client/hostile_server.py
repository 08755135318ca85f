"""A server that is no simulator: it offers what a test wants it to."""

import hashlib
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from threading import Event

import grpc

from autosim.userprogram.codec.tree_codec import tree_to_message
from autosim.v1 import autosim_pb2 as pb
from autosim.v1.autosim_pb2_grpc import SimulatorServicer, add_SimulatorServicer_to_server
from tests.userprogram.rig import toy_tree


def offered(name: str, content: bytes) -> pb.OfferedFile:
    digest = hashlib.sha256(content).hexdigest()
    return pb.OfferedFile(name=name, digest=digest, size=len(content))


class _Offers(SimulatorServicer):
    def __init__(self, listed: pb.FileList, contents: Mapping[str, bytes], work: str) -> None:
        self.listed, self.contents, self.work = listed, contents, work
        self.was_asked = Event()

    def Describe(self, request, context):  # noqa: N802
        return pb.Description(version="0", world="trap", tree=tree_to_message(toy_tree()))

    def ListFiles(self, request, context):  # noqa: N802
        if self.work:
            self.was_asked.wait()
        return self.listed

    def Control(self, request, context):  # noqa: N802
        self.was_asked.set()
        return pb.Status(work=self.work)

    def ReadFile(self, request, context):  # noqa: N802
        yield pb.FilePart(data=self.contents[request.name])


@contextmanager
def hostile_server(
    files: Mapping[str, bytes],
    compiled: tuple[str, bytes] | None = None,
    sizes: Mapping[str, int] | None = None,
    work: str = "",
) -> Iterator[str]:
    """The address of a server whose world is the first of `files`.

    `compiled` is the compiled map, as name and content; `sizes` are the lies about sizes.
    With `work`, it lists its files only after it has been asked for its status, which is `work`.
    """
    listed = pb.FileList(world=next(iter(files)))
    listed.files.extend(offered(name, content) for name, content in files.items())
    contents = dict(files)
    if compiled is not None:
        listed.compiled.CopyFrom(offered(*compiled))
        contents |= [compiled]
    for each in listed.files:
        each.size = (sizes or {}).get(each.name, each.size)
    server = grpc.server(ThreadPoolExecutor(4))
    add_SimulatorServicer_to_server(_Offers(listed, contents, work), server)
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    try:
        yield f"127.0.0.1:{port}"
    finally:
        server.stop(None)
