"""Which renderer is taken, and what is said when none is."""

import os
import subprocess
import sys

import numpy as np
import pytest

pytest.importorskip("panda3d")

from autosim.client.materials.material_kinds import Material
from autosim.client.materials.material_states import Materials
from autosim.client.materials.texture_images import TextureImage
from autosim.client.panda.display_modules import EarlyProbe, probe_module
from autosim.client.panda.panda_imports import core
from autosim.client.panda.renderer import Capabilities, open_renderer
from autosim.client.panda.renderer_errors import RendererError
from tests.screens import screen


@pytest.fixture(autouse=True)
def nothing_opened_yet(monkeypatch):
    """As in a fresh process, whatever tests before these have drawn in this one."""
    monkeypatch.setattr("autosim.client.panda.renderer._opened_module", lambda: None)


def refuse(tried):
    def probe(module):
        tried.append(module)
        return f"{module} is broken here"

    return probe


def test_without_a_screen_the_offscreen_modules_are_tried_in_order(monkeypatch):
    monkeypatch.delenv("DISPLAY", raising=False)
    tried = []
    with pytest.raises(RendererError, match="p3headlessgl: p3headlessgl is broken here"):
        open_renderer(onscreen=True, probe=refuse(tried))
    assert tried == ["p3headlessgl", "p3tinydisplay"]


def test_with_a_screen_the_window_comes_first(monkeypatch):
    monkeypatch.setenv("DISPLAY", ":99")
    tried = []
    with pytest.raises(RendererError):
        open_renderer(onscreen=True, probe=refuse(tried))
    assert tried == ["pandagl", "p3headlessgl", "p3tinydisplay"]


def test_the_module_asked_for_is_the_only_one_tried():
    tried = []
    with pytest.raises(RendererError, match="p3tinydisplay is broken here"):
        open_renderer("p3tinydisplay", probe=refuse(tried))
    assert tried == ["p3tinydisplay"]


def test_an_unknown_module_is_refused_with_the_known_ones():
    with pytest.raises(RendererError, match="choose one of pandagl, p3headlessgl"):
        open_renderer("vulkan")


def test_a_module_without_its_screen_says_so_and_does_not_end_the_process(monkeypatch):
    monkeypatch.setenv("DISPLAY", ":59999")
    assert "host" in probe_module("pandagl")


@pytest.fixture
def begun(monkeypatch):
    """The processes that are begun."""
    processes = []

    class Recorded(subprocess.Popen):
        def __init__(self, *arguments, **options):
            super().__init__(*arguments, **options)
            processes.append(self)

    monkeypatch.setattr("autosim.client.panda.display_modules.subprocess.Popen", Recorded)
    return processes


def test_a_module_that_is_tried_early_is_tried_once(begun):
    with EarlyProbe("p3tinydisplay", onscreen=False) as probe:
        assert len(begun) == 1, "at once"
        assert (probe("p3tinydisplay"), probe("p3tinydisplay")) == ("", "")
        assert len(begun) == 1


def test_another_module_than_the_one_tried_early_is_tried_when_it_is_asked_for(begun, monkeypatch):
    monkeypatch.setenv("DISPLAY", ":59999")
    with EarlyProbe(None, onscreen=True) as probe:
        assert "host" in probe("pandagl")
        assert probe("p3tinydisplay") == ""
        assert len(begun) == 2


def test_what_is_tried_early_and_never_asked_for_ends_with_it(begun):
    with EarlyProbe("p3tinydisplay", onscreen=False):
        assert begun[0].poll() is None
    assert begun[0].poll() is not None


def test_a_buffer_that_is_refused_names_the_missing_property():
    program = (
        "from autosim.client.panda.renderer import Renderer\n"
        "from autosim.client.panda.renderer_errors import RendererError\n"
        "renderer = Renderer('p3headlessgl')\n"
        "try:\n"
        "    renderer.make_buffer('eye', 64, 48, multisamples=64)\n"
        "except RendererError as error:\n"
        "    print(error)\n"
        "renderer.close()\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False
    )
    if "cannot be loaded" in done.stderr:
        pytest.skip("EGL is not installed")
    assert "buffer 'eye' of 64 x 48 pixels: no 64 samples a pixel" in done.stdout, done.stderr


def test_missing_panda3d_says_what_to_install():
    program = "import sys; sys.modules['panda3d'] = None; import autosim.client.scene.viewer"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False
    )
    assert "RendererError: Panda3D is not installed: install autosim[client]" in done.stderr


def test_limitations_are_sentences_about_what_is_missing():
    capable = Capabilities("GPU", True, True, True, True, 4)
    assert capable.limitations == ()
    poor = Capabilities("softpipe", False, False, False, False, 0)
    assert [line.split(":")[0] for line in poor.limitations] == [
        "no shaders",
        "no shadows",
        "no float textures",
        "no multisampling",
        "softpipe is slow",
    ]


@pytest.mark.parametrize(
    ("driver", "is_software"), [("llvmpipe (LLVM 15.0.6, 256 bits)", True), ("NVIDIA H200", False)]
)
def test_where_the_processor_draws_textures_blend_no_levels(driver, is_software):
    capable = Capabilities(driver, False, True, True, True, 4)
    assert capable.is_software is is_software
    materials = Materials(is_frugal=capable.is_software)
    picture = TextureImage("grey", np.full((4, 4, 4), 128, dtype=np.uint8))
    texture = materials.state(Material(picture)).getAttrib(core.TextureAttrib).getTexture()
    filters = core.SamplerState
    blended, single = filters.FTLinearMipmapLinear, filters.FTLinearMipmapNearest
    assert texture.getMinfilter() == (single if is_software else blended)


SECOND_WINDOW = """
from autosim.client.panda.renderer_errors import RendererError
from autosim.client.panda.renderer import Renderer

first, second = Renderer("pandagl"), Renderer("pandagl")
try:
    second.make_window("second", 64, 48)
except RendererError as error:
    print(error)
first.close()
second.make_window("second", 64, 48)
second.close()
"""


def test_a_window_beside_another_renderer_is_refused():
    with screen() as display:
        done = subprocess.run(
            [sys.executable, "-c", SECOND_WINDOW],
            env={**os.environ, "DISPLAY": display},
            capture_output=True,
            text=True,
            timeout=120,
        )
    assert done.returncode == 0, done.stderr
    assert done.stdout == "pandagl: this process draws already: open the window in one of its own\n"
