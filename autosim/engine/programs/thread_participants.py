"""User programs in threads of the simulation's own process: the twin of `ProcessParticipants`.

For tests and for use as a library. Programs run one at a time, in a fixed order, and give the
same bytes as in processes of their own. What threads cannot give: a limit on memory, a crash that
stops the program alone, and modules of their own (two programs share what they import).
"""

from collections.abc import Callable, Sequence
from pathlib import Path

from autosim.config.descriptions import ProgramLimits
from autosim.engine.command_gate.drivers import Drivers
from autosim.engine.programs.deadlines import DEFAULT_DEADLINES, Deadlines
from autosim.engine.programs.lockstep import NO_LIMITS, Lockstep, require_robot
from autosim.engine.programs.picture_scheduler import PictureScheduler
from autosim.engine.programs.program_manager import ProgramsContext
from autosim.engine.programs.program_thread import ProgramThread, ThreadSetting
from autosim.model.notices import Notice
from autosim.userprogram.process.sandbox import SandboxError
from autosim.userprogram.session.navigation_map import NavigationMap


class ThreadParticipants(Lockstep):
    """The user programs of a simulation in one process (see `Lockstep`).

    Args:
        setting: the data that all programs share.
        drivers: the driver of each robot.
        deadlines: of programs for which the world file sets none.
        pictures: has pictures drawn for programs; None: there are no cameras.
        report: takes messages for the user.
    """

    takes_turns = True

    def __init__(
        self,
        setting: ThreadSetting,
        *,
        drivers: Drivers,
        report: Callable[[Notice], None],
        deadlines: Deadlines = DEFAULT_DEADLINES,
        pictures: PictureScheduler | None = None,
    ) -> None:
        super().__init__(
            setting.tree, drivers=drivers, deadlines=deadlines, report=report, pictures=pictures
        )
        self._setting = setting

    @classmethod
    def of(cls, context: ProgramsContext) -> "ThreadParticipants":
        """The participants of a simulation, with the usual deadlines."""
        return cls(
            ThreadSetting(
                context.tree,
                context.memory.toreadonly(),
                context.step_seconds,
                lambda: NavigationMap.of(context.compiled),
            ),
            drivers=context.drivers,
            report=context.report,
            pictures=PictureScheduler.over(
                context.world,
                context.compiled,
                context.tree,
                memory=context.memory,
                seed=context.seed,
            ),
        )

    def launch(
        self,
        program: Path,
        *,
        robot: str,
        arguments: Sequence[str] = (),
        limits: ProgramLimits = NO_LIMITS,
        is_awaited: bool = True,
    ) -> None:
        """Starts `program` in its own thread; it has its first turn in the next `barrier`.

        Args:
            program: the file. Its folder is put on `sys.path`.
            robot: the name of its robot: its `argv[0]`.
            arguments: the rest of its `argv`.
            limits: its deadline; threads have no other limits.
            is_awaited: unused: a simulation in one process always waits, so its runs repeat.

        Raises:
            DeviceError: UNKNOWN_ROBOT.
            SandboxError: it is to run in a sandbox.
        """
        require_robot(self._tree, robot)
        if limits.isolation == "sandbox":
            raise SandboxError(
                f"'{program}' is to run in a sandbox, but here programs run in threads of the "
                "simulation: use a server"
            )
        images = self._pictures.new_images() if self._pictures is not None else None
        self._admit(
            ProgramThread.start(
                self._setting, file=program, robot=robot, arguments=arguments, images=images
            ),
            name=str(program),
            robot=robot,
            deadline=limits.deadline,
            pictures=self._drawn_into(images),
        )
