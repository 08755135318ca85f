"""The types of arrays that the whole project shares, so that a signature says what it holds."""

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
Integers32 = npt.NDArray[np.int32]
Booleans = npt.NDArray[np.bool_]
Floats32 = npt.NDArray[np.float32]
Bytes = npt.NDArray[np.uint8]
