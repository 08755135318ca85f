"""Files of policies: what drives a car, without what trained it.

A policy is a NumPy archive (`.npz`). Layer k has `weight_k` (outputs, inputs) and `bias_k`
(outputs,); `activation` names the function between layers, and `observed` is the number of
neighbours in what is seen: the numbers of the lane, then, if `has_goal`, the distance to the goal,
the time without motion, the conflicts ahead and the neighbours, as a fleet with `SharedTown` sees
them; `conflicts` is the number of those of conflicts. In left-hand traffic all is mirrored.
`userprograms/learned_driver.py` drives with it.
"""

from dataclasses import dataclass
from io import BytesIO
from zipfile import BadZipFile

import numpy as np

from autosim.learning.network_kernels import Layers, Singles
from autosim.tracks import conflict_view

ACTIVATION = "softsign"
"""Name of the function between layers, as ONNX has it."""


@dataclass(frozen=True, slots=True)
class Policy:
    """A network from what is seen to actions: `weights` (outputs, inputs) and `biases` by layer.

    `observed`: number of neighbours that are seen.
    """

    weights: tuple[Singles, ...]
    biases: tuple[Singles, ...]
    observed: int

    @classmethod
    def of(cls, layers: Layers, inputs: int, observed: int) -> "Policy":
        """The policy of an actor that sees `inputs` numbers."""
        return cls(
            (layers.first[:inputs].T.copy(), layers.second.T.copy(), layers.last.copy()),
            (layers.first_bias.copy(), layers.second_bias.copy(), layers.last_bias.copy()),
            observed,
        )

    def actions(self, seen: Singles) -> Singles:
        """Actions (n, a) in [-1, 1] for what is seen (n, inputs)."""
        values: Singles = seen
        for weight, bias in zip(self.weights[:-1], self.biases[:-1], strict=True):
            values = (values @ weight.T + bias).astype(np.float32, copy=False)
            values = np.divide(values, np.float32(1.0) + np.abs(values), dtype=np.float32)
        found: Singles = np.clip(values @ self.weights[-1].T + self.biases[-1], -1.0, 1.0)
        return found

    def to_bytes(self) -> bytes:
        """The file."""
        arrays: dict[str, np.ndarray[tuple[int, ...], np.dtype[np.generic]]] = {}
        for number, (weight, bias) in enumerate(zip(self.weights, self.biases, strict=True)):
            arrays[f"weight_{number}"], arrays[f"bias_{number}"] = weight, bias
        arrays["activation"] = np.array(ACTIVATION)
        arrays["observed"], arrays["has_goal"] = np.array(self.observed), np.array(True)
        arrays["conflicts"] = np.array(conflict_view.WIDTH)
        file = BytesIO()
        np.savez(file, allow_pickle=False, **arrays)
        return file.getvalue()


def read_policy(data: bytes) -> Policy:
    """The policy in a file.

    Raises:
        ValueError: it is not the file of a policy.
    """
    try:
        with np.load(BytesIO(data), allow_pickle=False) as arrays:
            if int(arrays["conflicts"]) != conflict_view.WIDTH:
                raise ValueError("it sees other conflicts")
            count = sum(each.startswith("weight_") for each in arrays.files)
            return Policy(
                tuple(arrays[f"weight_{k}"].astype(np.float32) for k in range(count)),
                tuple(arrays[f"bias_{k}"].astype(np.float32) for k in range(count)),
                int(arrays["observed"]),
            )
    except (BadZipFile, EOFError, KeyError, OSError, ValueError) as error:
        raise ValueError(
            "expected a policy that autosim train of this version has written"
        ) from error
