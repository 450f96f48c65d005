# SPDX-License-Identifier: Apache-2.0
"""Columns of records by their paths: ``plan.word`` is field ``word`` of the record in ``plan``.

The end of a path, ``word``, is enough where no other ends so.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from tilepath.engine.compiled.records import Records


def leaves(described: np.dtype[Any]) -> dict[str, tuple[np.dtype[Any], int]]:
    """Path of each number or array of numbers → its dtype, its offset.

    Left out are arrays of records, and those of ``records.with_elements``.
    """
    found: dict[str, tuple[np.dtype[Any], int]] = {}
    end = 0
    for name, (kind, offset, *_) in (described.fields or {}).items():
        if offset < end:
            continue
        end = offset + kind.itemsize
        if kind.names:
            inner = leaves(kind).items()
            found |= {f"{name}.{path}": (leaf, offset + behind) for path, (leaf, behind) in inner}
        elif not kind.base.names:
            found[name] = kind, offset
    return found


def path_of(paths: Iterable[str], name: str) -> str:
    """The one of ``paths`` that ``name`` is, or the end of; ``ValueError`` unless there is one."""
    ends = [path for path in paths if path == name or path.endswith(f".{name}")]
    if name in ends or len(ends) == 1:
        return name if name in ends else ends[0]
    raise ValueError(
        f"{name} is {' or '.join(ends)}" if ends else f"the account has no column {name}"
    )


def column(records: Records, name: str) -> Records:
    """The values of a field by its path."""
    found = records
    for field in path_of(leaves(records.dtype), name).split("."):
        found = found[field]
    return found
