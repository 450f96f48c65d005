# SPDX-License-Identifier: Apache-2.0
"""The faults of each block, as ``data/faults.toml`` has them."""

from __future__ import annotations

from functools import cache

from tilepath.engine.description.boundary import Fault, Field
from tilepath.isa import tables


@cache
def _faults() -> dict[str, dict[str, dict[str, tuple[str, str]]]]:
    return tables.read(tables.DATA / "faults.toml")


def faults(block: str, stream: str) -> tuple[Fault, ...]:
    """The faults of a block's ``stream``, bit 0 first."""
    rows = enumerate(_faults()[block][stream].items())
    return tuple(Fault(name, stream, bit, text, why) for bit, (name, (text, why)) in rows)


def vector(group: tuple[Fault, ...]) -> Field:
    """The field ``flags``, a bit for each fault of ``group``."""
    return Field("flags", len(group), bits=tuple((fault.name, 1) for fault in group))
