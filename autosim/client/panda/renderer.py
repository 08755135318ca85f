"""Choice of Panda3D's display module: the first one that starts.

`pandagl` draws in a window, `p3headlessgl` with OpenGL and without a display (EGL; Mesa's llvmpipe
where there is no GPU), `p3tinydisplay` in software without any OpenGL library. Each is
first tried in a separate process (`display_modules.py`).
"""

import os
from dataclasses import dataclass

from autosim.client.panda.display_modules import Probe, modules_to_try, probe_module
from autosim.client.panda.panda_imports import core
from autosim.client.panda.renderer_errors import RendererError

_PIPE_TYPES = {
    "pandagl": ("glxGraphicsPipe", "wglGraphicsPipe", "CocoaGraphicsPipe"),
    "p3headlessgl": ("eglGraphicsPipe",),
    "p3tinydisplay": ("TinyXGraphicsPipe", "TinyOffscreenGraphicsPipe", "TinyWinGraphicsPipe"),
}
_SOFTWARE = ("llvmpipe", "softpipe")
# Of triangles alone no index is a cut between strips, and none has to be looked for.
_SETTINGS = """
gl-support-primitive-restart-index false
audio-library-name null
notify-level warning
notify-level-display fatal
notify-level-device fatal
textures-power-2 none
model-cache-dir
"""


@dataclass(frozen=True, slots=True)
class Capabilities:
    """Capabilities of a renderer.

    `driver` is the graphics driver's own name for itself; `multisamples` the most samples a
    pixel that it grants among 4, 2 and 0.

    Attributes:
        has_window: can show a window on this machine.
        has_shaders: runs GLSL shaders.
        has_shadows: draws shadow maps.
        has_float_textures: renders into textures of floats.
    """

    driver: str
    has_window: bool
    has_shaders: bool
    has_shadows: bool
    has_float_textures: bool
    multisamples: int

    @property
    def is_software(self) -> bool:
        """Whether the processor draws, for whom pixels are dear: Mesa's drivers without a GPU."""
        return any(name in self.driver for name in _SOFTWARE)

    @property
    def limitations(self) -> tuple[str, ...]:
        """Its missing capabilities and their effects, a sentence each."""
        sentences = (
            (self.has_shaders, "no shaders: no reflections, haze, rain or light of head lights"),
            (self.has_shadows, "no shadows: the renderer has no depth textures"),
            (self.has_float_textures, "no float textures: no depth or range pictures"),
            (self.multisamples > 1, "no multisampling: edges are jagged"),
            ("softpipe" not in self.driver, "softpipe is slow: Mesa's llvmpipe is missing"),
        )
        return tuple(sentence for is_fine, sentence in sentences if not is_fine)


class Renderer:
    """An open display module with one hidden buffer that lends its context to all others.

    Args:
        module: one of `DISPLAY_MODULES`, known to start.

    Raises:
        RendererError: it does not start in this process, or this is the fork of one that has drawn.
    """

    def __init__(self, module: str) -> None:
        _check_not_forked()
        self.module = module
        load_settings()
        selection = core.GraphicsPipeSelection.getGlobalPtr()
        pipe = selection.makeModulePipe(module)
        if pipe is None:
            raise RendererError(f"{module}: the display module cannot be loaded")
        self._pipe = pipe
        self.engine = core.GraphicsEngine.getGlobalPtr()
        self._outputs: list[core.GraphicsOutput] = []
        self._host: core.GraphicsOutput | None = None
        self._host = self.make_buffer("host", 32, 32)
        self.capabilities = self._ask_capabilities(self._host.getGsg())

    @property
    def name(self) -> str:
        """The module and the driver behind it, such as `p3headlessgl, llvmpipe (LLVM 15 …)`."""
        return f"{self.module}, {self.capabilities.driver}"

    def make_buffer(
        self,
        name: str,
        width: int,
        height: int,
        *,
        multisamples: int = 0,
        is_depth: bool = False,
        has_floats: bool = False,
    ) -> core.GraphicsOutput:
        """An offscreen buffer of (height, width) pixels: RGBA of 8 bits or floats, or depth alone.

        Where the processor draws, depths alone are floats: it would turn integers into them
        wherever it compares one.

        Raises:
            RendererError: it was not granted; names the property that is missing.
        """
        properties = _frame_buffer(multisamples=multisamples, is_depth=is_depth)
        if is_depth and self.capabilities.is_software:
            properties.setDepthBits(32)
            properties.setFloatDepth(True)
        if has_floats:
            properties.setRgbaBits(32, 32, 32, 32)
            properties.setFloatColor(True)
        size = core.WindowProperties.size(width, height)
        buffer = self._make(name, properties, size, core.GraphicsPipe.BFRefuseWindow)
        if buffer is None and has_floats and self._grants(width, height, 0):
            raise RendererError(
                f"{self.module}: no offscreen buffer '{name}' of {width} x {height} pixels: "
                "no floats of 32 bits for colours"
            )
        if buffer is None:
            raise RendererError(self._why_refused(name, width, height, multisamples, is_depth))
        return buffer

    def make_window(
        self, title: str, width: int, height: int, *, multisamples: int = 0
    ) -> core.GraphicsOutput:
        """A window of that size [pixels].

        Raises:
            RendererError: the module opened none, or another renderer draws in this process.
        """
        # All renderers of a process share one engine; beside others a window's shaders lack inputs.
        if self.engine.getNumWindows() > len(self._outputs):
            raise RendererError(
                f"{self.module}: this process draws already: open the window in one of its own"
            )
        wanted = core.WindowProperties.size(width, height)
        wanted.setTitle(title)
        properties = _frame_buffer(multisamples=multisamples, is_depth=False)
        window = self._make("window", properties, wanted, core.GraphicsPipe.BFRequireWindow)
        if window is None:
            raise RendererError(f"{self.module}: no window of {width} x {height} pixels")
        # From here on the window lends its context: with two hosts, Panda3D draws the first
        # frame of a new buffer with half of a shader's inputs missing (seen with pandagl).
        self._host = window
        return window

    def close(self) -> None:
        """Closes its buffers and windows; without it some drivers abort at the end."""
        for output in reversed(self._outputs):
            self.engine.removeWindow(output)
        self._outputs.clear()

    def remove(self, output: core.GraphicsOutput) -> None:
        """Closes one of its buffers or windows."""
        self._outputs.remove(output)
        self.engine.removeWindow(output)

    def _make(
        self,
        name: str,
        properties: core.FrameBufferProperties,
        size: core.WindowProperties,
        flags: int,
    ) -> core.GraphicsOutput | None:
        lends = self._host is not None and flags == core.GraphicsPipe.BFRefuseWindow
        output = self.engine.makeOutput(
            self._pipe,
            name,
            0,
            properties,
            size,
            flags,
            self._host.getGsg() if self._host is not None else None,
            self._host if lends else None,
        )
        if output is not None:
            self.engine.openWindows()
            if not output.isValid():
                self.engine.removeWindow(output)
                return None
            self._outputs.append(output)
        return output

    def _why_refused(
        self, name: str, width: int, height: int, multisamples: int, is_depth: bool
    ) -> str:
        """The property that makes the difference, found by asking for less."""
        what = f"{self.module}: no offscreen buffer '{name}' of {width} x {height} pixels"
        if is_depth:
            return f"{what}: no depth texture"
        if multisamples and self._grants(width, height, 0):
            return f"{what}: no {multisamples} samples a pixel"
        if self._grants(32, 32, 0):
            return f"{what}: no buffer as large as that"
        return f"{what}: no RGBA colour of 8 bits with 24 bits of depth"

    def _grants(self, width: int, height: int, multisamples: int) -> bool:
        properties = _frame_buffer(multisamples=multisamples, is_depth=False)
        size = core.WindowProperties.size(width, height)
        buffer = self._make("trial", properties, size, core.GraphicsPipe.BFRefuseWindow)
        if buffer is None:
            return False
        granted = buffer.getFbProperties().getMultisamples() >= multisamples
        self.remove(buffer)
        return bool(granted)

    def _ask_capabilities(self, driver: core.GraphicsStateGuardian) -> Capabilities:
        has_shaders = bool(driver.getSupportsBasicShaders() and driver.getSupportsGlsl())
        has_shaders = has_shaders and self.module != "p3tinydisplay"
        has_depth = bool(driver.getSupportsDepthTexture() and driver.getSupportsShadowFilter())
        return Capabilities(
            driver=driver.getDriverRenderer() or "Panda3D's software renderer",
            has_window=self.module == "pandagl",
            has_shaders=has_shaders,
            has_shadows=has_shaders and has_depth,
            has_float_textures=has_shaders,
            multisamples=next((n for n in (4, 2) if has_shaders and self._grants(32, 32, n)), 0),
        )


def _check_not_forked() -> None:
    """A fork lacks the threads in which its parent's driver draws, and would wait for ever."""
    if _drawing_processes and os.getpid() not in _drawing_processes:
        raise RendererError(
            "this process was forked from one that has rendered, and cannot render: "
            'start it by spawn instead (context="spawn", start_method="spawn")'
        )
    _drawing_processes.add(os.getpid())


_drawing_processes: set[int] = set()
"""This process, once it draws; in a fork, its parent."""


def _frame_buffer(*, multisamples: int, is_depth: bool) -> core.FrameBufferProperties:
    properties = core.FrameBufferProperties()
    properties.setDepthBits(24)
    if not is_depth:
        properties.setRgbaBits(8, 8, 8, 8)
        properties.setMultisamples(multisamples)
    return properties


def load_settings() -> None:
    """Panda3D's settings of this process: no sound, no chatter, no cache of models."""
    core.loadPrcFileData("autosim", _SETTINGS)


def open_renderer(
    module: str | None = None,
    *,
    onscreen: bool = False,
    probe: Probe | None = None,
) -> Renderer:
    """Opens the display module asked for, else the first that starts.

    Args:
        module: one of `DISPLAY_MODULES`, or None for any.
        onscreen: a window is wanted; without a screen the next module draws offscreen.
        probe: tries a module; default: `probe_module`.

    Raises:
        RendererError: an unknown module, or none starts; says why for each.
    """
    reasons = []
    for candidate in _candidates(module, onscreen):
        reason = (probe or probe_module)(candidate)
        if not reason:
            return Renderer(candidate)
        reasons.append(f"{candidate}: {reason}")
    raise RendererError("no renderer starts:\n  " + "\n  ".join(reasons))


def _candidates(module: str | None, onscreen: bool) -> tuple[str, ...]:
    """The modules to try, in order. A process keeps to the first kind that it has opened."""
    wanted = modules_to_try(module, onscreen=onscreen)
    opened = _opened_module()
    if opened and module not in (None, opened):
        raise RendererError(f"this process draws with {opened} already, it cannot change")
    return (opened,) if opened else wanted


def _opened_module() -> str:
    """The module loaded in this process, told by the types that Panda3D has come to know."""
    known = core.TypeRegistry.ptr().findType
    for module, types in _PIPE_TYPES.items():
        if any(known(name) != core.TypeHandle.none() for name in types):
            return module
    return ""
