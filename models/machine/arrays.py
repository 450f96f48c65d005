# SPDX-License-Identifier: Apache-2.0
"""Arrays that users write into: what would be lost in silence is refused.

NumPy cuts a slice off at the end of an axis, so that ``l1[0x200000:0x200010] = 1`` of a smaller L1
writes nothing and says nothing. :class:`Guarded` refuses it. :func:`fill` stands behind an
assignment to a whole array, ``m.gpr = …``.
"""

from __future__ import annotations

import operator
from typing import Any, Final

import numpy as np
import numpy.typing as npt

# Arrays of a machine, by the part that has them, and how many bits their elements have
CONTROL: Final = {
    "config": 32,
    "thread_config": 16,
    "gpr": 32,
    "semaphores": 4,
    "streams": 32,
}
UNPACK: Final = {
    "l1": 8,
    "src_a": 19,
    "src_b": 19,
    "src_owner": 1,
    "src_bank": 1,
    "src_row": 6,
    "context_counter": 3,
    "setreg_acc": 17,
    "dst": 16,
    "dst_valid": 1,
    "setreg_base": 20,
}
MATH: Final = {"rwc": 10, "implied_format": 4, "matrix_bank": 1}
PACK: Final = {"l1_dest_addr_offset": 16}
# What the Matrix Unit shares with the unpackers
OF_MATRIX: Final = (
    *("src_a", "src_b", "dst", "dst_valid", "src_owner"),
    *("implied", "stale", "src_bank", "matrix_bank"),
)
BITS: Final = CONTROL | UNPACK | PACK | MATH

_BASIC: Final = (int, slice, type(...), type(None), np.integer)


def _check_slice(given: slice, size: int, axis: int) -> None:
    for bound in (given.start, given.stop):
        if bound is not None and not -size <= operator.index(bound) <= size:
            raise IndexError(
                f"slice {_text(given.start)}:{_text(given.stop)} goes beyond the {size:#x} "
                f"elements of axis {axis}"
            )


def _text(bound: Any) -> str:
    return "" if bound is None else f"{operator.index(bound):#x}"


class Guarded(np.ndarray[Any, Any]):
    """Array that refuses slices which begin or end beyond it, with ``IndexError``.

    What shares its memory (a slice, ``view``, ``reshape``) is guarded too; copies and results of
    arithmetic are plain arrays.
    """

    def _check(self, key: Any) -> bool:
        """Whether ``key`` makes a view; refuses a slice beyond the array."""
        keys = key if isinstance(key, tuple) else (key,)
        basic = True
        axis = 0
        for place, one in enumerate(keys):
            if isinstance(one, slice):
                _check_slice(one, self.shape[axis] if axis < self.ndim else 0, axis)
            elif one is None:
                continue
            elif one is ...:
                axis = self.ndim - sum(k is not None for k in keys[place + 1 :]) - 1
            elif not isinstance(one, _BASIC) or isinstance(one, bool):
                basic = False
                axis += one.ndim - 1 if isinstance(one, np.ndarray) and one.dtype == bool else 0
            axis += 1
        return basic

    def __getitem__(self, key: Any) -> Any:
        basic = self._check(key)
        found = super().__getitem__(key)
        return found if basic or not isinstance(found, Guarded) else found.view(np.ndarray)

    def __setitem__(self, key: Any, value: Any) -> None:
        self._check(key)
        super().__setitem__(key, value)

    def __array_wrap__(
        self, array: Any, context: Any = None, return_scalar: bool = False
    ) -> Any:  # NumPy calls it with the results of arithmetic
        plain = np.asarray(array)
        return plain[()] if return_scalar else plain

    def astype(self, *arguments: Any, **options: Any) -> Any:
        """Return a plain array, as a plain array's own method does."""
        return np.asarray(self).astype(*arguments, **options)

    def copy(self, *arguments: Any, **options: Any) -> Any:
        """Return a plain array, as a plain array's own method does."""
        return np.asarray(self).copy(*arguments, **options)


def guarded(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return the same memory, guarded."""
    return array.view(Guarded)


def as_integers(name: str, given: Any, bits: int) -> npt.NDArray[Any]:
    """``given`` as an array of integers of ``bits`` bits; bytes are an array of bytes.

    Raises:
        ValueError: no integers (``True`` and 1.0 are none), or one that does not fit.
    """
    if isinstance(given, (bytes, bytearray, memoryview)):
        given = np.frombuffer(given, np.uint8)
    try:
        values = np.asarray(given)
    except (ValueError, OverflowError):
        values = np.zeros(0)
    if values.dtype.kind not in "iu":
        raise ValueError(f"{name}: want integers of {bits} bits, unsigned")
    if values.size and (values.min() < 0 or values.max() >> bits):
        raise ValueError(f"{name}: one does not fit in {bits} bits")
    return values


def fill(name: str, array: npt.NDArray[Any], given: Any, bits: int) -> None:
    """Write ``given`` to all of ``array``: as many values in its shape, or a single one.

    Raises:
        ValueError: no integers of ``bits`` bits, or another shape.
    """
    values = as_integers(name, given, bits)
    if values.ndim and values.shape != array.shape:
        raise ValueError(f"{name}: shape {values.shape}, want {array.shape}")
    array[...] = values
