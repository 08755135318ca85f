"""Kinds of devices that do not come with AutoSim: of installed packages, and of users' files.

A plug-in is a Python module with a variable `KIND`, a `DeviceKind`, or `KINDS`, several of them. A
package offers its kinds as entry points of the group `autosim.devices`. A robot file names a file
with `<Plugin file="…"/>`. The process that simulates a world runs its
plug-ins, as it runs user programs: it looks them up among the user's own files, and none comes from
another machine. `PluginPolicy` says which of them may run: of a file that is only checked none, and
of a record only those with the content that the run had.
"""

import copyreg
import hashlib
import sys
import traceback
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, fields
from functools import cache
from importlib.metadata import entry_points
from types import ModuleType

from autosim.config.descriptions import Device, UsedPlugin
from autosim.errors import UserError
from autosim.kinds.kind import AnyDeviceKind, DeviceKind

GROUP = "autosim.devices"
"""Of the entry points by which installed packages offer kinds of devices."""


class PluginError(UserError):
    """A plug-in cannot be used; the text says which, where, and why."""


@dataclass(frozen=True, slots=True)
class PluginPolicy:
    """Rule for which of the plug-ins that robot files name are run.

    `may_run` False: none. Then the files are read only to find their faults, without the devices
    that plug-ins define. `expected`: the only plug-ins that are run, by their names: SHA-256 (hex)
    of a file, version of an installed package. None: every plug-in that is in the search roots.
    """

    may_run: bool = True
    expected: Mapping[str, str] | None = None

    def is_expected(self, name: str) -> bool:
        """Whether the plug-in of that name is to be run at all."""
        return self.expected is None or name in self.expected

    def require(self, name: str, version: str) -> None:
        """Makes sure that a plug-in has the content or version that is expected.

        Raises:
            PluginError: it has another one.
        """
        wanted = version if self.expected is None else self.expected.get(name, version)
        if wanted != version:
            raise PluginError(
                f"plug-in '{name}' of this machine has the version {version[:12]}, and the "
                f"recorded run had {wanted[:12]}: put that version there (autosim replay shows a "
                "record without its plug-ins)"
            )


ALL_PLUGINS = PluginPolicy()
"""Runs every plug-in that a robot file names, if it is in the search roots."""

NO_PLUGINS = PluginPolicy(may_run=False)
"""Runs no file that a robot file names."""


@dataclass(frozen=True, slots=True)
class Plugin:
    """A file or an installed package with kinds of devices: which version, and what it defines."""

    used: UsedPlugin
    """Name, version and digest of the plug-in."""
    kinds: tuple[AnyDeviceKind, ...]


@cache
def load_plugin(name: str, text: bytes) -> Plugin:
    """The plug-in with this text; equal texts are run once.

    Args:
        name: of its file, for messages.
        text: Python source.

    Raises:
        PluginError: the text cannot be run, or defines no kinds.
    """
    digest = hashlib.sha256(text).hexdigest()
    module = ModuleType(f"autosim_plugin_{digest[:16]}")
    module.__file__ = name
    sys.modules[module.__name__] = module
    try:
        exec(compile(text, name, "exec", dont_inherit=True), module.__dict__)
    except Exception as error:
        raise PluginError(f"plug-in '{name}': {_place(error, name)}{error}") from error
    plugin = Plugin(UsedPlugin(name, digest), _kinds_in(module, f"plug-in '{name}'"))
    for kind in plugin.kinds:
        # Other processes of this server are sent descriptions: they run the same text.
        copyreg.pickle(kind.record, _reducer(name, text))
    return plugin


def _place(error: Exception, name: str) -> str:
    if isinstance(error, SyntaxError):
        return f"line {error.lineno}: "
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__)]
    files = [frame.filename for frame in traceback.extract_tb(error.__traceback__)]
    own = [line for line, file in zip(lines, files, strict=True) if file == name]
    return f"line {own[-1]}: {type(error).__name__}: " if own else f"{type(error).__name__}: "


def _kinds_in(module: ModuleType, title: str) -> tuple[AnyDeviceKind, ...]:
    found = getattr(module, "KINDS", None) or (getattr(module, "KIND", None),)
    kinds = tuple(found) if isinstance(found, Iterable) else (found,)
    if not all(isinstance(each, DeviceKind) for each in kinds):
        raise PluginError(f"{title} defines no KIND: a DeviceKind, see `autosim device new`")
    return kinds


_Reduced = tuple[Callable[..., object], tuple[object, ...]]
"""A function and its arguments, with which pickle makes an object again."""


def _reducer(name: str, text: bytes) -> Callable[[Device], _Reduced]:
    def reduce(device: Device) -> _Reduced:
        values = tuple(getattr(device, each.name) for each in fields(device))
        return _revive, (name, text, type(device).__name__, values)

    return reduce


def _revive(name: str, text: bytes, record: str, values: tuple[object, ...]) -> Device:
    kinds = load_plugin(name, text).kinds
    made: Device = next(each.record for each in kinds if each.record.__name__ == record)(*values)
    return made


@cache
def installed_plugins() -> tuple[Plugin, ...]:
    """Plug-ins of installed packages, in the order of the names of their entry points.

    Raises:
        PluginError: a package offers something else, or cannot be imported.
    """
    plugins: list[Plugin] = []
    for entry in sorted(entry_points(group=GROUP), key=lambda entry: entry.name):
        package = entry.dist
        used = UsedPlugin(package.name, package.version) if package else UsedPlugin(entry.value, "")
        title = f"'{entry.name}' of the package '{used.name}'"
        try:
            offered = entry.load()
        except Exception as error:
            raise PluginError(f"{title} cannot be loaded: {error}") from error
        kinds = (offered,) if isinstance(offered, DeviceKind) else _kinds_in(offered, title)
        plugins.append(Plugin(used, kinds))
    return tuple(plugins)
