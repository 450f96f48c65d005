# SPDX-License-Identifier: Apache-2.0
"""Streams for the coverage tests: inputs chosen by hand, outputs of the model, as recorded."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from tilepath.tb.kernel.description.stream import Records, stream_table
from tilepath.tb.unpack.coverage import UnpackCoverage
from tilepath.tb.unpack.streams import STREAMS
from tilepath.tests.unpack.model_cycle_helpers import Program, model_run
from tilepath.tests.unpack.model_helpers import plain, put, unpacr

TABLE = stream_table(STREAMS)


def streams(**rows: Sequence[tuple[Any, ...]]) -> dict[str, Records]:
    """Streams from rows of (cycle, fields), ``u0_issue`` for ``u0.issue``; all others empty."""
    full = {name: stream.empty() for name, stream in TABLE.items()}
    for name, some in rows.items():
        chosen = name if name in TABLE else name.replace("_", ".", 1)
        full[chosen] = np.array(list(some), TABLE[chosen].dtype)
    return full


def recorded(inputs: Mapping[str, Any], outputs: Mapping[str, Any]) -> dict[str, Records]:
    """Both as the recorders would have them."""
    found = {}
    for name, stream in TABLE.items():
        given = inputs[name] if stream.direction == "input" else outputs[name]
        found[name] = np.zeros(len(given), stream.dtype)
        for field in stream.dtype.names or ():
            if field in given.dtype.names:
                found[name][field] = given[field]
    return found


def played(program: Program, cycles: int = 400) -> tuple[dict[str, Records], int]:
    """All streams of a program, and the cycle in which they end."""
    inputs = program.inputs()
    end = program.start + cycles
    return recorded(inputs, model_run(inputs, [end], program.profile)), end


def covered(
    seen: Mapping[str, Records], end: int, profile: str = "baseline", cuts: Sequence[int] = ()
) -> UnpackCoverage:
    """A coverage model that has seen ``seen``, cut into blocks at ``cuts``."""
    model = UnpackCoverage(profile)
    for first, last in pairwise((0, *cuts, end)):
        part = {
            name: some[(some["cycle"] >= first) & (some["cycle"] < last)]
            for name, some in seen.items()
        }
        model.sample(part, first, last)
    return model


def hits(model: UnpackCoverage) -> dict[str, dict[str, int]]:
    """Point → the bins that were hit."""
    points = model.report().points
    return {
        p: found for p, bins in points.items() if (found := {b: n for b, n in bins.items() if n})
    }


def tile(
    unit: int = 0,
    code: int = 5,
    count: int = 16,
    *,
    out: int | None = None,
    thread: int = 0,
    profile: str = "baseline",
    word: Mapping[str, int] | None = None,
    **fields: int,
) -> Program:
    """One Regular UNPACR of ``count`` datums (BF16) from 0x4010 on, issued behind the set-up."""
    state = plain(code, out, unit, count, profile=profile, **fields)
    return Program(state, profile).issue(0, unpacr(unit, **(word or {})), thread)


def two(count0: int = 256, count1: int = 256, **fields: int) -> Program:
    """A set-up of both unpackers, without any instruction."""
    state = plain(5, None, 0, count0, **fields)
    put(state, 1, base=0x800, in_format=5, out_format=5, uncompressed=1, x_dim=256, y_dim=1)
    put(state, 1, z_dim=4, w_dim=1, x1=count1 - 1, **({"throttle": 2} | fields))
    return Program(state)
