# SPDX-License-Identifier: Apache-2.0
"""The formats' codes, and how many quarters of a byte a datum has."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]

FP32, FP16, BFP8A, BFP4A, TF32, BF16, BFP8, BFP4 = range(8)
INT32, INT16, FP8, BFP2A, RESERVED12, RESERVED13, INT8, BFP2 = range(8, 16)
BFP_SHIFT = {BFP8: 0, BFP8A: 0, BFP4: 4, BFP4A: 4, BFP2: 6, BFP2A: 6}
WIDE = (FP32, TF32, INT32)
QUARTERS = [16, 8, 4, 2, 16, 8, 4, 2, 16, 8, 4, 1, 16, 8, 4, 1]
