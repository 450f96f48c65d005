# SPDX-License-Identifier: Apache-2.0
"""Kernels of ``programs`` as tests, and files that ``OWN_KERNELS`` names."""

from __future__ import annotations

import itertools
import os
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

import numpy as np

from tilepath.engine.description.stimulus import ANY, Context, Stimulus, TestSpec
from tilepath.isa.boundary.datapath import THREADS
from tilepath.models import kernels
from tilepath.sequences.datapath.play import PER_ITEM, TIMING, play, timed
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
_CONTENTION: Final = 16  # cycles with and without contention for streams
ROLES: Final = tuple(
    dict(zip(("UNPACKS", "ADDS", "PACKS"), threads, strict=True))
    for threads in itertools.permutations(range(THREADS))
)
"""Constants of ``roles.kernel``."""


def kernel_test(
    name: str, path: Path, given: Mapping[str, int], latency: int = LATENCY, own: bool = False
) -> TestSpec:
    """The test ``name`` of the kernel file ``path`` with constants ``given``.

    ``latency``: cycles that L1 takes. ``own``: a user's file, which may raise any fault, and whose
    timing is that of its tables.
    """

    def stimulus(ctx: Context) -> Stimulus:
        kernel = kernels.load(path, ctx.profile, given)
        played = play(kernel)
        if own:
            return timed(ctx, played)
        cores = sum(len(made) for name, made in played.items() if name != "l1_write")
        cycles = len(played["l1_write"]) + PER_ITEM * cores
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
        tables=TIMING if own else None,
    )


def own_files() -> dict[str, Path]:
    """Name → file, of those that ``OWN_KERNELS`` names."""
    named = map(Path, filter(None, os.environ.get(OWN_KERNELS, "").split(os.pathsep)))
    return {path.stem: path for path in named}


def own_tests() -> dict[str, TestSpec]:
    """Name → test, of these files."""
    return {name: kernel_test(name, path, {}, own=True) for name, path in own_files().items()}


def _directed() -> Iterator[tuple[str, TestSpec]]:
    """Name and test of each row of ``kernels.toml``."""
    for name, row in tomllib.loads(Path(__file__).with_suffix(".toml").read_text()).items():
        path, latency = FOLDER / f"{row.pop('kernel', name)}.kernel", row.pop("latency", LATENCY)
        yield name, kernel_test(name, path, row, latency)


TESTS: Final = dict(_directed())
