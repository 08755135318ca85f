"""`autosim dataset`."""

from math import radians
from pathlib import Path
from typing import TYPE_CHECKING

import click

from autosim.cli.cli_options import FILE, Real, echo_escaped, example, explain_errors

if TYPE_CHECKING:
    from autosim.applications.dataset.dataset_settings import Layout


@click.command(
    epilog=example(
        "autosim dataset worlds/circle_town.xml --frames 200 --out out/town",
        "autosim dataset helsinki.osm.pbf --frames 1000 --out out/helsinki --format kitti --seed 4",
        "autosim dataset worlds/circle_town.xml --frames 100 --out out/car "
        "--camera impreza.chassis.front_view --size 640x480",
    )
)
@click.argument("world", type=FILE)
@click.option("--frames", type=click.IntRange(1, 999_999), required=True, help="Number of frames.")
@click.option("--out", type=FILE, required=True, help="Folder to write, or to continue.")
@click.option(
    "--format",
    "layout",
    type=click.Choice(["coco", "kitti", "nuscenes"]),
    default="coco",
    show_default=True,
    help="Layout of pictures and labels.",
)
@click.option(
    "--seed",
    type=click.IntRange(0, 2**31 - 1),
    default=0,
    show_default=True,
    help="Seed of drives, traffic, weather, light, materials and noise.",
)
@click.option(
    "--size",
    default="1242x375",
    show_default=True,
    help="Width and height of pictures [pixels].",
)
@click.option(
    "--fov",
    type=Real(5.0, 150.0),
    default=29.2,
    show_default=True,
    help="Vertical field of view of the camera of a car of traffic [deg].",
)
@click.option("--camera", default="", help="Camera of a robot, ROBOT.PART.CAMERA, instead.")
@click.option(
    "--period",
    type=Real(0.02, 60.0),
    default=0.5,
    show_default=True,
    help="Simulated time between frames [s].",
)
@click.option(
    "--vehicles",
    type=click.IntRange(0, 1000),
    default=150,
    show_default=True,
    help="Vehicles of traffic, at least.",
)
@click.option(
    "--people",
    type=click.IntRange(0, 1000),
    default=80,
    show_default=True,
    help="Pedestrians, at least.",
)
@click.option(
    "--plain",
    is_flag=True,
    help="The weather, light and materials of WORLD instead of varied ones; no noise.",
)
@explain_errors
def dataset(
    world: Path,
    *,
    frames: int,
    out: Path,
    layout: "Layout",
    seed: int,
    size: str,
    fov: float,
    camera: str,
    period: float,
    vehicles: int,
    people: int,
    plain: bool,
) -> None:
    """Drives through WORLD and writes pictures with labels, depths and boxes for networks.

    WORLD is a world file or a map: OpenStreetMap, OpenDRIVE, Lanelet2 or CommonRoad. A car of
    traffic carries the camera, or a robot that its program drives. An interrupted run continues
    when the command is repeated; the same options give the same bytes.
    """
    from autosim.applications.common.open_worlds import compile_with_progress, open_named_world
    from autosim.applications.common.terminal import progress_bar
    from autosim.applications.dataset.collection import make_dataset
    from autosim.applications.dataset.dataset_settings import DatasetSettings, picture_size

    width, height = picture_size(size)
    settings = DatasetSettings(
        layout=layout,
        seed=seed,
        width=width,
        height=height,
        fov=radians(fov),
        period=period,
        is_varied=not plain,
        camera=camera,
        vehicles=vehicles,
        people=people,
    )
    description = open_named_world(world)
    compiled = compile_with_progress(description)
    with progress_bar() as bar:
        task = bar.add_task("frames", total=frames)
        drawn = make_dataset(
            description,
            compiled,
            frames=frames,
            folder=out,
            settings=settings,
            progress=lambda count: bar.update(task, completed=count),
        )
    echo_escaped(f"{out}: {frames} frames, {drawn} drawn now")
