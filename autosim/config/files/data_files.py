"""The files of a world that are data: what is unpacked from records and fetched from servers.

A world that comes from elsewhere must not bring code along. So this is a list of what is allowed,
not of what is forbidden: worlds, robots, maps, routes, tables, pictures and models. Python files,
shared libraries, pickles and whatever else can run are not on it.
"""

from pathlib import PurePosixPath

from autosim.config.files.program_files import PROGRAM_FOLDER

DATA_ENDINGS = frozenset(
    (
        *(".xml", ".osm", ".gz", ".bz2", ".pbf", ".xodr"),  # worlds, robots, routes, maps
        *(".xosc", ".osc", ".sumocfg"),  # scenarios, demand
        *(".tir", ".csv", ".parquet"),  # tyres, tables
        *(".png", ".jpg", ".jpeg", ".bmp", ".pgm", ".tif", ".tiff", ".hgt", ".zip"),  # pictures
        *(".obj", ".mtl", ".egg", ".gltf", ".glb", ".bin", ".3ds"),  # models
    )
)
"""The endings, in small letters, of the files that worlds are made of. `.bam` is left out: it holds
the objects of the engine itself."""


def is_data_file(name: str) -> bool:
    """Whether a file is data by its name: it has an allowed ending and lies in no program folder.

    Args:
        name: as files of a world are named, with `/` between folders. It may still lead out of a
            root: see `require_inside`.
    """
    path = PurePosixPath(name)
    folders = {each.casefold() for each in path.parts}
    return path.suffix.lower() in DATA_ENDINGS and PROGRAM_FOLDER not in folders
