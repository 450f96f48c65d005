# SPDX-License-Identifier: Apache-2.0
"""Random generators derived from (root seed, names): no stream of draws disturbs another."""

from __future__ import annotations

import hashlib

import numpy as np


def derive(seed: int, *names: str) -> np.random.Generator:
    """A NumPy generator that depends on ``seed`` (64 bits) and the names, and on nothing else."""
    digest = hashlib.sha256("/".join((str(seed), *names)).encode()).digest()
    return np.random.Generator(np.random.PCG64(int.from_bytes(digest[:16], "little")))
