# SPDX-License-Identifier: Apache-2.0
"""A generator for tables of which many small blocks are drawn."""

from __future__ import annotations

from typing import Any

import numpy as np


class Quick(np.random.Generator):
    """Its whole numbers are others than a ``Generator`` has; of a few they cost a third."""

    def integers(  # type: ignore[override]  # fewer ways to be called
        self, low: Any, high: Any = None, size: Any = None, *, endpoint: bool = False
    ) -> Any:
        """Draw as a ``Generator``, ``int64`` only; numbers are no more than 2^32 apart."""
        low, high = (0, low) if high is None else (low, high)
        drawn = self.random(size)
        drawn *= high - low + endpoint
        return drawn.astype(np.int64) + low

    def geometric(self, p: Any, size: Any = None) -> Any:
        """Draw as a ``Generator``."""
        waited = self.standard_exponential(size)
        waited /= -np.log(np.maximum(1 - p, 1e-300))
        return waited.astype(np.int64) + 1
