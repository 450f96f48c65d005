# SPDX-License-Identifier: Apache-2.0
"""Kernels of ``programs`` as tests, and files that ``OWN_KERNELS`` names."""

from __future__ import annotations

import itertools
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import numpy as np

from tilepath.engine.description.stimulus import ANY, Context, Stimulus, TestSpec
from tilepath.isa import constants as C
from tilepath.isa.boundary.datapath import THREADS
from tilepath.models import kernels
from tilepath.sequences.datapath.play import play
from tilepath.tb.datapath.streams import L1_LATENCY, LATENCY, OWN_KERNELS, STREAM_BUSY
from tilepath.tb.datapath.untimed import UntimedDatapath

FOLDER: Final = Path(__file__).parent / "programs"
# Fewest words of the packers
_PACKED: Final[dict[str, dict[str, int]]] = {"waits": {}, "streams": {}}
# Word 1 has fields of math and packers: one writes its own while the other is busy.
_FAULTS: Final = {
    **dict.fromkeys(("twice", "mutex"), ("busy_config",)),
    "faults": ANY,
}
_PER_ITEM: Final = 12  # cycles for which a latency lasts, for each item of a core
_CONTENTION: Final = 16  # cycles with and without contention for streams
ROLES: Final = tuple(
    dict(zip(("UNPACKS", "ADDS", "PACKS"), threads, strict=True))
    for threads in itertools.permutations(range(THREADS))
)
"""Constants of ``roles.kernel``."""

# Test: kernel, constants, latency of L1
_DIRECTED: Final[dict[str, tuple[str, dict[str, int], int]]] = {
    "copy": ("copy", {"TILES": 2}, 4),
    "copy_2": ("copy", {"TILES": 4, "HALVES": 2}, 4),
    **{f"formats_{pair}": ("formats", {"TILES": 1, "PAIR": pair}, 4) for pair in range(5)},
    "add1": ("add1", {"TILES": 4}, 4),
    "add1_latency_1": ("add1", {"TILES": 3}, 1),
    "add1_latency_31": ("add1", {"TILES": 3}, 31),
    **{
        f"broadcast_{mul}{cast}": (
            "broadcast",
            {"TILES": 2, "MUL": mul, "BCAST": cast, "PHASES": 1 + 3 * mul},
            4,
        )
        for mul, cast in ((0, 0), (0, 3), (1, 1), (1, 2))
    },
    "reuse": ("reuse", {}, 4),
    "matmul": ("matmul", {"R": 1, "C": 2, "K": 2, "PHASES": 2}, 4),
    "writes": ("writes", {}, 4),
    "waits": ("waits", {}, 4),
    "streams": ("streams", {}, 4),
    **{f"roles_{''.join(map(str, given.values()))}": ("roles", given, 4) for given in ROLES},
    "chain": ("chain", {}, 4),
    "accumulate": ("accumulate", {}, 4),
    "chain_latency_1": ("chain", {}, 1),
    "crosses": ("crosses", {}, 4),
    "syncs": ("syncs", {}, 4),
    **{
        f"reduce_{over}": ("reduce", {"TILES": 2, "OVER": over, "MAX": over % 2}, 4)
        for over in range(3)
    },
    "tilize": ("tilize", {"TILES": 2}, 4),
    "untilize": ("untilize", {"TILES": 2}, 4),
    "untilize_8": ("untilize", {"TILES": 8, "AT_ONCE": 1}, 4),
    **{f"transpose_{wide}": ("transpose", {"TILES": 2, "WIDE": wide}, 4) for wide in range(2)},
    **{f"direct_{form}": ("direct", {"TILES": 3, "INTEGERS": form}, 4) for form in range(2)},
    **{f"compress_{bfp}": ("compress", {"TILES": 2, "BFP": bfp}, 4) for bfp in range(2)},
    "reduce_sums": ("reduce", {"TILES": 1, "TERMS": 2}, 4),
    "matmul_weights": ("matmul", {"K": 1, "WEIGHTS": C.FMT_BFP4}, 4),
    "fast_tilize": ("fast_tilize", {"TILES": 5}, 4),
    "fast_tilize_fp32": ("fast_tilize", {"TILES": 3, "FORM": 1}, 31),
    "fast_untilize": ("fast_untilize", {"TILES": 3}, 31),
    "fast_untilize_fp32": ("fast_untilize", {"TILES": 3, "ACROSS": 5, "WIDE": 1}, 1),
    "fast_untilize_far": ("fast_untilize", {"TILES": 3, "ACROSS": 133}, 4),
    "pack_untilize": ("pack_untilize", {}, 4),
    "pack_untilize_narrow": ("pack_untilize", {"TILES": 2, "DATUMS": 16}, 31),
    "pack_untilize_dense": ("pack_untilize", {"BLOCK": 4, "ROWS": 16, "DENSE": 1}, 1),
    "pack_block": ("pack_block", {"BLOCK": 2}, 4),
    **{
        f"tiny_{rows}": ("tiny", {"TILES": 2, "ROWS": rows, "FORM": form}, latency)
        for rows, form, latency in ((1, 0, 31), (2, 1, 1), (4, 2, 4), (8, 0, 4))
    },
    **{
        f"decode_{rows}": ("decode", {"TILES": 1, "ROWS": rows, "WEIGHTS": weights}, latency)
        for rows, weights, latency in ((1, C.FMT_BFP2, 31), (8, C.FMT_BFP4, 1))
    },
    "square": ("square", {"TILES": 2}, 4),
    "twice": ("twice", {"TILES": 2}, 4),
    "mutex": ("mutex", {"TILES": 3}, 4),
    "faults": ("faults", {}, 4),
}


def kernel_test(
    name: str, path: Path, given: Mapping[str, int], latency: int = LATENCY, own: bool = False
) -> TestSpec:
    """The test ``name`` of the kernel file ``path`` with constants ``given``.

    ``latency``: cycles that L1 takes. ``own``: a user's file, which may raise any fault.
    """

    def stimulus(ctx: Context) -> Stimulus:
        kernel = kernels.load(path, ctx.profile, given)
        played = play(kernel)
        cores = sum(len(made) for name, made in played.items() if name != "l1_write")
        cycles = len(played["l1_write"]) + _PER_ITEM * cores
        level = L1_LATENCY.pack(cycles=cycles, latency=latency)
        found = {**{name: [made] for name, made in played.items()}, "l1_latency": [level]}
        if name == "streams":
            values = np.arange(cycles // _CONTENTION) % 2
            found["stream_busy"] = [STREAM_BUSY.pack(cycles=_CONTENTION, value=values)]
        return found

    constants = ", ".join(f"{key} {value}" for key, value in given.items())
    return TestSpec(
        name,
        f"kernel {path.name}" + (f" with {constants}" if constants else ""),
        "program",
        stimulus,
        floor={"dispatch": 1}
        if own
        else {"t0.dispatch": 10, "math": 8, **_PACKED.get(name, {"pack": 1})},
        faults=ANY if own else _FAULTS.get(path.stem, ()),
        untimed=lambda profile: UntimedDatapath(
            profile, kernels.load(path, profile, given), judged=own
        ),
    )


def own_tests() -> dict[str, TestSpec]:
    """Name → test, of the files that ``OWN_KERNELS`` names."""
    named = map(Path, filter(None, os.environ.get(OWN_KERNELS, "").split(os.pathsep)))
    return {path.stem: kernel_test(path.stem, path, {}, own=True) for path in named}


TESTS: Final = {
    name: kernel_test(name, FOLDER / f"{kernel}.kernel", given, latency)
    for name, (kernel, given, latency) in _DIRECTED.items()
}
