# SPDX-License-Identifier: Apache-2.0
"""Says what a command compiles in its own process, which can take minutes the first time."""

from __future__ import annotations

import sys
import time

from tilepath.engine.compiled import jit_cache


def announce_loops() -> None:
    """Print, from now on, a line on stderr for each of the models' loops that is compiled."""
    began: list[float] = []

    def begins(name: str) -> None:
        if not began:
            began.append(time.monotonic())
            print("compiling loops of the models, once for these sources:", file=sys.stderr)
        after = time.monotonic() - began[0]
        print(f"compiling {name} (after {after:.0f} s)", file=sys.stderr, flush=True)

    jit_cache.on_compile = begins
