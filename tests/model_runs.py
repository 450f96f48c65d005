# SPDX-License-Identifier: Apache-2.0
"""What the cycle-exact models of all blocks must do, however a run of them is cut or compiled."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tilepath.isa.boundary import Boundary

Records = NDArray[Any]

ROOT: Final = Path(__file__).resolve().parents[1]


def random_cuts(rng: np.random.Generator, cycles: int, most: int) -> list[int]:
    """Up to ``most`` cycles, in order, in which a run of ``cycles`` is cut; the last is its end."""
    count = int(rng.integers(0, most))
    return sorted({*rng.integers(0, cycles, count).tolist(), cycles})


def cut(inputs: Mapping[str, Records], first: int, last: int) -> dict[str, Records]:
    """The events in cycles ``first`` to ``last - 1``."""
    return {name: a[(a["cycle"] >= first) & (a["cycle"] < last)] for name, a in inputs.items()}


def run_in_pieces(
    model: Any, inputs: Mapping[str, Records], cuts: Iterable[int]
) -> dict[str, Records]:
    """Output streams of a run cut at ``cuts`` (the last one is its end)."""
    parts = []
    start = 0
    for end in cuts:
        part = model.step(cut(inputs, start, end), end)
        for name, records in part.items():
            inside = records["cycle"][(records["cycle"] < start) | (records["cycle"] >= end)]
            assert not inside.size, name
        parts.append(part)
        start = end
    return {name: np.concatenate([part[name] for part in parts]) for name in model.outputs}


def assert_same(
    boundary: Boundary, got: Mapping[str, Records], want: Mapping[str, Records]
) -> None:
    """The same records of the same outputs, as ``boundary`` lays them out."""
    assert got.keys() == want.keys()
    for name, records in want.items():
        assert got[name].dtype == records.dtype == boundary.stream(name).expected_dtype
        np.testing.assert_array_equal(got[name], records, err_msg=name)


def digest_in_plain_python(block: str) -> str:
    """``digest()`` of the block's ``test_model_blocks`` where nothing is compiled."""
    script = f"from tilepath.tests.{block}.test_model_blocks import digest; print(digest())"
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", script],
        cwd=ROOT,
        env=os.environ | {"NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()
