# SPDX-License-Identifier: Apache-2.0
"""Settings of formats that packers can have; ``wide`` is 1 where Dst is read in 32 bits, else 0.

The names of the settings are those of :data:`tilepath.tests.pack.model_helpers.SHORT`.
"""

from __future__ import annotations

from collections.abc import Iterator


def early_settings(wide: int) -> Iterator[dict[str, int]]:
    """Every combination of floats that the early conversion has, with its FROM."""
    both = [
        {"inner": 4, "from_": 4},
        {"inner": 0, "from_": 0, "r10": 1},
        {"inner": 0, "from_": 4, "r10": 1},
        {"inner": 5, "from_": 5},
        {"inner": 5, "from_": 5, "raw": 1},
        {"inner": 5, "from_": 6},
        {"inner": 6, "from_": 6},
        {"inner": 6, "from_": 5, "raw": 1},
        {"inner": 1, "from_": 1, "r10": 1},
        {"inner": 0, "from_": 1, "r10": 1},
        {"inner": 5, "from_": 1, "r10": 1},
    ]
    only_wide = [
        {"inner": 0, "from_": 0},
        {"inner": 0, "from_": 0, "raw": 1},
        {"inner": 4, "from_": 4, "raw": 1},
    ]
    only_short = [
        {"inner": 1, "from_": 1},
        {"inner": 1, "from_": 1, "raw": 1},
        {"inner": 2, "from_": 2},
        {"inner": 2, "from_": 2, "raw": 1},
        {"inner": 10, "from_": 10, "raw": 1},
    ]
    for settings in (*both, *(only_wide if wide else only_short)):
        yield {**settings, "r32": wide}


def integer_settings(wide: int) -> Iterator[dict[str, int]]:
    """Those of integers, with TO: raw or not, signed or not, and shifts of 32-bit ones."""
    yield from ({"inner": 9, "from_": 9, "to": 9, "raw": raw} for raw in (0, 1))
    if wide:
        yield {"inner": 8, "from_": 8, "to": 8}
        for shift in (0, 1, 3, 31):
            yield from (
                {"inner": 14, "from_": 14, "to": 14, "uns": u, "raw": r, "shift": shift}
                for u in (0, 1)
                for r in (0, 1)
            )
    else:
        yield {"inner": 14, "from_": 14, "to": 14, "raw": 1}
