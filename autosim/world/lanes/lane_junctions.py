"""Groups the lanes that end at the same junction."""

import numpy as np

from autosim.arrays import Integers
from autosim.world.lanes.roads import RoadNetwork


def junctions_of(network: RoadNetwork) -> tuple[Integers, Integers]:
    """Junction (n,) at the end of each lane, and the number of streets that meet at each."""
    # Imported here: clients that draw no signals do without SciPy, which takes long to import.
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    count = len(network.roads)
    sources = np.repeat(np.arange(count), np.diff(network.successor_starts))
    targets = network.successors.astype(np.int64)
    starts = np.where(network.connectors[targets], targets, targets + count)
    links = coo_array((np.ones(len(sources)), (sources, starts)), shape=(2 * count, 2 * count))
    _, labels = connected_components(links, directed=False)
    lanes = np.flatnonzero(~network.connectors)
    at = np.concatenate([labels[lanes], labels[lanes + count]])
    pairs = np.unique(np.column_stack([at, np.tile(network.roads[lanes], 2)]), axis=0)
    arms = np.bincount(pairs[:, 0], minlength=int(labels.max(initial=0)) + 1)
    return labels[:count].astype(np.int64), arms
