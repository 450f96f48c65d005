# SPDX-License-Identifier: Apache-2.0
"""Calls from Python to a loop whose arrays stay: a functional model makes one for each word."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np


class Bound:
    """A loop with its first arguments, arrays that stay: a call takes a tenth of the time.

    Numba looks at the type of each argument before each call; here once, at the first one. As long
    as the loop has been compiled for one set of types, that is the one to call from then on.

    Attributes:
        call: the loop, which takes the rest of its arguments, integers.
    """

    def __init__(self, compiled: Callable[..., Any], *arrays: Any) -> None:
        self._compiled, self._arrays = compiled, arrays
        self.call: Callable[..., Any] = self._first

    def _first(self, *given: Any) -> Any:
        # no NumPy integers, no large ones, which would be another type
        plain = [int(np.int64(one)) if isinstance(one, int | np.integer) else one for one in given]
        found = self._compiled(*self._arrays, *plain)
        known = list(getattr(self._compiled, "overloads", {}).values())
        if len(known) == 1:
            self.call = partial(known[0].entry_point, *self._arrays)
        return found
