"""A view of a whole world from above, without its robots."""

from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip("panda3d")

from autosim.client.panda.renderer_errors import RendererError
from autosim.client.scene.birds_eye import BirdsEye, StandingEye, draw_birds_eye
from autosim.config.world_settings import SkyDescription
from autosim.world.compiled.compiled_world import PropKind, Props
from tests.worlds import flat_world, impreza_world


def test_the_camera_looks_at_its_target_from_above():
    target = np.array([10.0, 20.0, 3.0])
    pose = BirdsEye(azimuth=0.0, elevation=np.radians(30.0)).pose(target, radius=50.0)
    forward = pose.rotation[:, 1]
    gap = target - pose.position
    assert gap / np.linalg.norm(gap) == pytest.approx(forward)
    assert forward == pytest.approx([np.cos(np.radians(30.0)), 0.0, -0.5])


def test_it_draws_the_ground_around_the_streets():
    picture = draw_birds_eye(impreza_world(), flat_world(), width=160, height=90)
    assert picture.shape == (90, 160, 4)
    middle = picture[30:60, 50:110, :3].astype(int)
    assert np.abs(np.diff(middle.mean(axis=(0, 1)))).max() < 25, "the carriageway is grey"
    assert np.ptp(picture[..., :3].astype(int).mean(axis=1), axis=0).max() > 8


def test_a_street_below_a_lamp_is_seen_by_night():
    world, compiled = impreza_world(), flat_world()
    night = replace(world.graphics, sky=SkyDescription(hours=0.0))
    lamp = Props(
        kinds=np.array([PropKind.LAMP], dtype=np.uint8),
        positions=np.array([[4.0, 0.0, 0.0]]),
        yaws=np.zeros(1),
        heights=np.array([8.0]),
    )
    dark, lit = (
        draw_birds_eye(
            replace(world, graphics=night),
            replace(compiled, props=props),
            width=160,
            height=90,
            eye=StandingEye((-10.0, 0.0), pitch=-0.2),
        )
        for props in (compiled.props, lamp)
    )
    ahead = np.s_[46:60, 60:100, 1]
    assert lit[ahead].mean() > max(45.0, 2.0 * dark[ahead].mean())


def test_an_unknown_renderer_is_named():
    with pytest.raises(RendererError, match="nothing"):
        draw_birds_eye(impreza_world(), flat_world(), width=16, height=16, renderer="nothing")
