"""User programs that run on a client: the same files, in lockstep over the network.

A program runs in its own process over shared memory, as on the server. Here the memory is filled
with the state that comes along when the simulation wakes the program; the simulation stands still
until the program's next wait.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from autosim.client.link.channels import open_channel
from autosim.client.link.client_errors import ClientError
from autosim.client.link.mirror import Mirror
from autosim.client.link.served_world import fetch_description
from autosim.client.link.updates import CHANNEL_OPTIONS
from autosim.client.programs.image_queue import ImageQueue, Render
from autosim.client.programs.output_relay import OutputRelay
from autosim.client.programs.relayed_program import (
    NewLayout,
    ProgramView,
    RelayedProgram,
    Report,
)
from autosim.client.programs.remote_rendering import RemoteRenderer
from autosim.config.descriptions import ProgramLimits
from autosim.model.notices import Notice
from autosim.model.state import State
from autosim.model.tree import SimulationTree
from autosim.userprogram.codec.tree_codec import tree_to_bytes
from autosim.userprogram.ipc.assignment import Assignment
from autosim.userprogram.ipc.camera_images import ImageMemory, max_bytes
from autosim.userprogram.ipc.shared_state import SharedState
from autosim.userprogram.process.program_process import ProgramProcess
from autosim.userprogram.process.restarts import Restarts, explain_restart
from autosim.world.pipeline.fetched_worlds import is_fetched

_POLL_SECONDS = 0.02
"""Time [s] between two questions whether the server knows the programs: they are there within some
tenths of a second."""


@dataclass(frozen=True, slots=True)
class ProgramOrder:
    """A program to run for a robot.

    `arguments` follow the robot's name in its `argv`. Of `limits`, memory and restart apply on a
    client, and a sandbox; the deadline is that of the robot in the server's world; a program
    that is to run in a thread runs in its own process.
    """

    program: Path
    robot: str
    arguments: tuple[str, ...] = ()
    limits: ProgramLimits = field(default_factory=ProgramLimits)


class ClientPrograms:
    """The user programs of one client. Use as a context manager, in the thread that draws.

    The programs end with the thread that launches them.

    Args:
        mirror: connected to the server.
        world_file: the compiled world, for programs that navigate.
        image_size: width and height [pixels] of the pictures that programs get.
        render: draws them; called by `serve_pending`. None: no pictures.
        report: told how programs end; called from other threads.
        reports_output: whether `report` takes the lines that programs print, too.

    The programs continue when other robots are added or removed. Then the mirror is one of another
    world: `detach` before it is closed, and `follow` with the next one.
    """

    def __init__(
        self,
        mirror: Mirror,
        *,
        world_file: Path | None = None,
        image_size: tuple[int, int] = (640, 480),
        render: Render | None = None,
        report: Report = lambda notice: None,
        reports_output: bool = False,
    ) -> None:
        self._mirror = mirror
        self._reports_output = reports_output
        self._address, self._step_seconds = mirror.connection.address, mirror.step_seconds
        self._world_file = world_file
        self._image_size = image_size
        digest = mirror.tree.digest
        self._desk = ImageQueue(render, layout_digest=digest, on_order=self._notify)
        self._offer_desk: ImageQueue | None = None
        self._report = report
        self._running: list[tuple[ProgramOrder, RelayedProgram]] = []
        self._restarts = Restarts()
        self._offer: RemoteRenderer | None = None
        self._failed: dict[str, ProgramOrder] = {}
        self._newest: SimulationTree | None = None

    def launch(self, order: ProgramOrder) -> None:
        """Starts a program. It takes part in the step from its first `wait` on.

        Raises:
            ClientError: a server has sent the file.
            SandboxError: it is to run in a sandbox, and there is none.
        """
        self._start(order, ())

    def replace(self, order: ProgramOrder) -> None:
        """Starts a program that replaces all running ones.

        They continue until it is ready, and stop then: their robots brake until its first `wait`.

        Raises:
            ClientError: a server has sent the file.
            SandboxError: it is to run in a sandbox, and there is none.
        """
        self._failed.clear()
        self._running = [each for each in self._running if each[1].is_running]
        self._start(order, [program for _, program in self._running])

    @property
    def running(self) -> tuple[str, ...]:
        """The files of the programs that have not ended."""
        return tuple(program.name for _, program in self._running if program.is_running)

    def wait_until_attached(self, timeout: float = 60.0) -> bool:
        """Waits until the simulation knows of all programs; whether it does within `timeout` [s].

        A run that is to be repeatable begins after this.

        Raises:
            ConnectionLostError: the server does not answer.
        """
        end = time.monotonic() + timeout
        while time.monotonic() < end:
            if self._mirror.connection.status().programs >= len(self.running):
                return True
            time.sleep(_POLL_SECONDS)
        return False

    def offer_pictures(self) -> None:
        """Offers to the server to draw the pictures of programs that run elsewhere.

        Raises:
            ClientError: nothing is drawn here, or there are no cameras.
        """
        if not self._desk.draws:
            raise ClientError("this client offers to draw pictures, but it cannot draw any")
        if not max_bytes(self._mirror.tree, self._image_size):
            raise ClientError("no robot has a camera: there are no pictures to draw")
        self._offer_desk = ImageQueue(self._desk.render, on_order=self._notify)
        self._offer = RemoteRenderer(
            self._mirror, image_size=self._image_size, desk=self._offer_desk, report=self._report
        )

    def detach(self) -> None:
        """Leaves the mirror, which is about to be closed; the programs continue.

        Until `follow` the server draws the pictures that they ask for.
        """
        self._close_offer()
        self._desk.hold()

    def follow(
        self,
        mirror: Mirror,
        *,
        world_file: Path | None,
        image_size: tuple[int, int],
        render: Render | None,
    ) -> None:
        """Continues beside the mirror of a world with other robots, after `detach`."""
        self._mirror, self._newest = mirror, None
        self._address, self._step_seconds = mirror.connection.address, mirror.step_seconds
        self._world_file, self._image_size = world_file, image_size
        self._desk.use(render, mirror.tree.digest)

    def serve_pending(self, timeout: float = 0.0) -> bool:
        """Draws the pictures that programs wait for; to be called by the loop that draws.

        Programs that have failed are started again here, by the time of the mirror's state.

        Args:
            timeout: how long to wait for the first picture [s].

        Returns:
            whether there was one.
        """
        self._look_after_failures()
        has_drawn = self._desk.serve(timeout)
        if self._offer_desk is not None:
            has_drawn = self._offer_desk.serve() or has_drawn
        return has_drawn

    def wait_for_work(self, timeout: float) -> None:
        """Waits until a new state is there or a program waits for a picture, at most `timeout` [s].

        The loop that draws need not poll, and no state waits for the next poll.
        """

        def is_there() -> bool:
            desks = (self._desk, self._offer_desk)
            has_orders = any(each is not None and each.has_orders for each in desks)
            return has_orders or self._mirror.has_news

        self._mirror.connection.wait_until(is_there, timeout)

    def close(self) -> None:
        """Ends the programs."""
        self._failed.clear()
        for _, program in self._running:
            program.stop()
        self._desk.close()  # after that: a missing picture is not a failure of a program
        self._close_offer()
        for _, program in self._running:
            program.join()

    def _close_offer(self) -> None:
        if self._offer_desk is not None and self._offer is not None:
            self._offer_desk.close()
            self._offer.close()
        self._offer = self._offer_desk = None

    def _notify(self) -> None:
        self._mirror.connection.notify()

    def __enter__(self) -> "ClientPrograms":
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def _start(self, order: ProgramOrder, before: Sequence[RelayedProgram]) -> None:
        if is_fetched(order.program):
            raise ClientError(f"'{order.program}' came from a server: such files are never run")
        present = self._layout(order, self._newest or self._mirror.tree)
        output = self._output_of(order) if self._reports_output else None
        try:
            process = ProgramProcess.start(
                present.assignment,
                state=present.shared,
                images=present.images,
                output=output.ends if output is not None else None,
            )
        finally:
            if output is not None:
                output.release()
        program = RelayedProgram(
            process,
            name=str(order.program),
            channel=present.channel,
            view=present.view,
            report=self._report,
            before=before,
            renew=lambda: self._renew(order),
        )
        self._running.append((order, program))

    def _output_of(self, order: ProgramOrder) -> OutputRelay:
        name = str(order.program)

        def report(line: str) -> None:
            step = self._mirror.state.step
            self._report(Notice("info", name, step, line, is_output=True))

        return OutputRelay(report)

    def _layout(self, order: ProgramOrder, tree: SimulationTree) -> NewLayout:
        """All that a program needs to run over `tree`."""
        width, height = self._image_size
        shared = SharedState.create(tree.stop)
        size = max_bytes(tree, self._image_size)
        images = ImageMemory.create(width=width, height=height, size=size)
        view = ProgramView(State(tree, shared.live), images, self._desk)
        assignment = self._assignment(order, tree)
        # The mirror closes its channel when its world changes: programs have their own.
        channel = open_channel(self._address, CHANNEL_OPTIONS)
        return NewLayout(channel, tree.digest, assignment, shared, images, view)

    def _renew(self, order: ProgramOrder) -> NewLayout | None:
        """The layout with the robots that the world has now.

        None where the program's robot is gone, or the server cannot be asked.
        """
        try:
            tree = fetch_description(self._address).tree
            if tree.find(order.robot) is None:
                return None
            self._newest = tree
            return self._layout(order, tree)
        except ClientError:
            return None

    def _assignment(self, order: ProgramOrder, tree: SimulationTree) -> Assignment:
        return Assignment(
            program=str(order.program.absolute()),
            robot=order.robot,
            arguments=order.arguments,
            tree=tree_to_bytes(tree),
            step_seconds=self._step_seconds,
            world_file=str(self._world_file or ""),
            memory_bytes=order.limits.memory,
            image_size=self._image_size,
            is_sandboxed=order.limits.isolation == "sandbox",
        )

    def _look_after_failures(self) -> None:
        ended = [each for each in self._running if not each[1].is_running]
        for order, program in ended:
            self._running.remove((order, program))
            if program.has_failed and order.limits.is_restarted:
                self._plan_restart(order)
        for robot in self._restarts.take_due(self._mirror.state.time) if self._failed else ():
            order_again = self._failed.pop(robot, None)
            if order_again is not None:
                self.launch(order_again)

    def _plan_restart(self, order: ProgramOrder) -> None:
        state = self._mirror.state
        delay = self._restarts.fail(order.robot, state.time)
        if delay is not None:
            self._failed[order.robot] = order
        text = explain_restart(delay)
        self._report(Notice("warning", str(order.program), state.step, text))
