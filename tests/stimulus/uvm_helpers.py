# SPDX-License-Identifier: Apache-2.0
"""What tests of sequences share: classes of items, and what bodies make."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from tilepath.engine.description.registry import load_block
from tilepath.engine.description.stimulus import Context, Stimulus
from tilepath.engine.stimulus.uvm import Sequence, as_tests, items

FRONTEND: Final = items("frontend")
UNPACK: Final = items("unpack")
Body = Callable[[Sequence], Any]


def sequence(body: Body) -> type[Sequence]:
    return type("Mine", (Sequence,), {"body": body})


def stimulus(block: str, top: Any, seed: int = 1, **spec: Any) -> Stimulus:
    (test,) = as_tests(top, **spec).values()
    return test.stimulus(Context(block, test.name, seed, "baseline", 1000))


def made_by(block: str, top: Any, **spec: Any) -> dict[str, dict[str, list[Any]]]:
    """Player → field → values, of all players that get items."""
    table = load_block(block).player_table
    found = {name: list(arrays) for name, arrays in stimulus(block, top, **spec).items()}
    return {
        name: {n: v.tolist() for n, v in table[name].unpack(np.concatenate(some)).items()}
        for name, some in found.items()
        if some
    }


def run_body(block: str, body: Body, **spec: Any) -> dict[str, dict[str, list[Any]]]:
    return made_by(block, sequence(body), **spec)
