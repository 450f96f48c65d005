# SPDX-License-Identifier: Apache-2.0
"""State and plans of the models: arrays of records, whose fields have names.

A model describes its state once with :func:`record`, makes it with :func:`zeros`, and passes the
array (or several in one ``NamedTuple``) to its compiled kernels as one argument. A kernel takes
the record it works on, ``queue = queues[0]``, and hands it to its parts; what they write to
``queue.head`` or ``queue.words[i]`` is written to the array. The same holds for records in records.

The arrays are ``np.recarray``, so that names work outside compiled code too: in the model's own
Python, and in the kernels when ``NUMBA_DISABLE_JIT=1``. Where calls must be quick, the model keeps
what :func:`for_kernel` returns.

There is a second way, which ``models.adc`` takes: plain arrays, ``np.zeros(1, described)``, passed
to the kernels as they are. Their elements have the names too, ``queues[0].head``, the arrays
themselves only ``queues["head"]``; calls are quick without :func:`for_kernel`.
"""

from __future__ import annotations

import keyword
from collections.abc import Mapping
from typing import Any, Final, TypeAlias

import numba
import numpy as np
import numpy.typing as npt

# A record, and an array of records, of any fields
Record: TypeAlias = np.record
Records: TypeAlias = npt.NDArray[Any]

# Compiled code would read the field, plain Python the attribute of the same name.
_TAKEN: Final = frozenset({*dir(np.record), *dir(np.recarray)})


def record(**fields: npt.DTypeLike) -> np.dtype[Any]:
    """dtype of a record: name of each field = its type, a pair (type, shape) for an array.

    A type is one of NumPy's (``np.int64``) or what this function returned for another record.

    Raises:
        ValueError: a name that means something else in Python, or that an array or a record has
            as an attribute (``size``, ``data``, ``copy``, …).
    """
    for name in fields:
        if name in _TAKEN or keyword.iskeyword(name):
            raise ValueError(f"field {name}: every record has an attribute of that name")
    # As elements of np.record: then np.zeros(1, described) has names in its elements, too. A call
    # with such an array takes Numba 0.4 µs, one with an np.recarray 2.7 µs.
    return np.dtype((np.record, _aligned(fields)))


def _aligned(fields: Mapping[str, npt.DTypeLike]) -> np.dtype[Any]:
    """The fields behind one another as C aligns them.

    NumPy would put a record of ``np.record`` anywhere; Numba refuses it off its alignment.
    """
    formats = [np.dtype(described) for described in fields.values()]
    offsets = []
    end, widest = 0, 1
    for described in formats:
        alignment = _alignment(described)
        offsets.append(-(-end // alignment) * alignment)
        end = offsets[-1] + described.itemsize
        widest = max(widest, alignment)
    layout: Any = {"names": list(fields), "formats": formats, "offsets": offsets}
    layout["itemsize"] = -(-end // widest) * widest
    whole: np.dtype[Any] = np.dtype(layout, align=True)
    return whole


def _alignment(described: np.dtype[Any]) -> int:
    """Alignment of a type: of a record that of its widest field."""
    inner = described.base.fields
    if inner is None:
        return described.base.alignment
    return max(_alignment(np.dtype(field[0])) for field in inner.values())


def attribute(name: str) -> str:
    """The name, with an underscore where every array has an attribute of that name: ``data_``."""
    return f"{name}_" if name in _TAKEN else name


def named(described: np.dtype[Any]) -> np.dtype[Any]:
    """Return the same layout with elements whose fields are attributes: of a stream's records.

    Their names are as :func:`attribute` says.
    """
    given = described.names or ()
    fields = dict(described.fields or {})
    layout: Any = {
        "names": tuple(map(attribute, given)),
        "formats": [field[0] for field in fields.values()],
        "offsets": [field[1] for field in fields.values()],
        "itemsize": described.itemsize,
    }
    return np.dtype((np.record, np.dtype(layout)))


def with_elements(described: np.dtype[Any], name: str) -> np.dtype[Any]:
    """The same record, whose fields, all of one type, are also the elements of array ``name``."""
    fields: Any = described.fields
    element = next(iter(fields.values()))[0].base
    assert all(field[0].base == element for field in fields.values())
    every = np.dtype((element, described.itemsize // element.itemsize))
    layout: Any = {
        "names": [*fields, name],
        "formats": [*(field[0] for field in fields.values()), every],
        "offsets": [*(field[1] for field in fields.values()), 0],
        "itemsize": described.itemsize,
    }
    return np.dtype((np.record, np.dtype(layout, align=True)))


def zeros(described: np.dtype[Any], shape: int | tuple[int, ...] = 1) -> Records:
    """Array of records, all fields 0; of a single one unless ``shape`` says otherwise."""
    return np.zeros(shape, described).view(np.recarray)


def copied(records: Records) -> Records:
    """A copy of an array of records.

    NumPy's own ``copy`` goes field by field, in ten times the time of one of the bytes.
    """
    its_bytes = np.ascontiguousarray(records).view(np.uint8).copy()
    copy: Records = its_bytes.view(records.dtype).view(type(records))
    return copy


def placed(records: Records, place: Records | None) -> Records:
    """Return the records, or ``place``, which they have been copied to."""
    if place is None:
        return records
    place.view(np.uint8)[:] = np.asarray(records).view(np.uint8)
    return place


def for_kernel(records: Records) -> Records:
    """Return the same memory as kernels take it: an ``np.recarray`` only if not compiled.

    Numba looks ten times as long at a ``np.recarray`` before each call as at a plain array.
    """
    settings: Any = numba.config
    if settings.DISABLE_JIT:
        return records.view(np.recarray)
    if isinstance(records, np.recarray):
        return records.view(np.ndarray).view(np.dtype((np.void, records.dtype)))
    return records
