# SPDX-License-Identifier: Apache-2.0
"""What a golden model can tell of what it did, beside the records that it expects.

An account is an array of records for each kind of thing that happened (a command, a counter that
one touched, two commands that met), a row each in the order of events, with its cycle; where a
model goes thread by thread, of the events of a thread. The dtypes, with units and decisions, are in
``models/<block>/account.py``. It serves coverage, reports and
whoever wants to know; a model that was not asked for it leaves none, and no record that the model
expects depends on it.

A kernel gets ``Told.accounts``: none, or one record with a field for each kind, and with what the
block keeps between rows::

    if len(accounts):
        row = new_row(accounts[0].touch, cycle)
        row.live = state.live[place]
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from typing import Any, Final, Protocol, runtime_checkable

import numba
import numpy as np
from llvmlite import ir  # type: ignore[import-untyped]
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from tilepath.engine.compiled.jit import part
from tilepath.engine.compiled.records import Record, Records, attribute, copied, for_kernel, record


@runtime_checkable
class LeavesAccount(Protocol):
    """A cycle-exact model that leaves an account.

    Attributes:
        account: of the last step, in one part or several, one behind the other: kind → rows, of
            all kinds or some. The next step may overwrite them. None before :meth:`keep_account`.
    """

    account: Sequence[Mapping[str, Records]]

    def keep_account(self) -> None:
        """Leave an account from the next step on; this is called before the first one only."""


def account_of(
    kinds: Mapping[str, np.dtype[Any]],
    cycles: int,
    most: Mapping[str, int],
    memory: np.dtype[Any] | None = None,
) -> np.dtype[Any]:
    """dtype of room for rows, whose fields are the kinds; and of what is kept between rows.

    ``sum`` is the field ``sum_``, as ``records.attribute`` says.

    Args:
        kinds: kind → dtype of its rows.
        cycles: that a pass of the kernel has at most.
        most: kind → rows of a cycle, where that may be more than one.
        memory: dtype of field ``memory``.
    """
    fields = {} if memory is None else {"memory": memory}
    for kind, rows in kinds.items():
        fields[attribute(kind)] = record(count=np.int64, rows=(rows, cycles * most.get(kind, 1)))
    return record(**fields)


@part
def new_row(kind: Record, cycle: int) -> Record:
    """Another row of a kind, with its cycle; the other fields are not set."""
    row: Record = kind.rows[kind.count]
    kind.count += 1
    row.cycle = cycle
    return row


@part
def add_row(kind: Record, row: Record) -> None:
    """A copy of ``row``, which has its cycle."""
    kind.rows[kind.count] = row
    kind.count += 1


_BEHIND: Final = 8  # bytes of ``cycle`` and ``cycles``, which come first


def _alike_in_python(one: Record, other: Record) -> bool:
    """Whether two rows are the same but for ``cycle`` and ``cycles``, which come first.

    By their text, as NumPy writes anything between fields, and rows may have arrays.
    """
    return repr(one.item()[2:]) == repr(other.item()[2:])


def _alike_compiled(_context: Any, one: types.Record, other: types.Record) -> Any:
    """The same by C's ``memcmp``: Numba compares no records."""

    def generate(_: Any, builder: Any, __: Any, arguments: Any) -> Any:
        address, long = ir.IntType(8).as_pointer(), ir.IntType(64)
        kind = ir.FunctionType(ir.IntType(32), (address, address, long))
        untyped: Any = cgutils
        function = untyped.get_or_insert_function(builder.module, kind, "memcmp")
        rows = [builder.gep(builder.bitcast(row, address), [long(_BEHIND)]) for row in arguments]
        found = builder.call(function, (*rows, long(one.size - _BEHIND)))
        return builder.icmp_signed("==", found, ir.IntType(32)(0))

    return types.boolean(one, other), generate


_settings: Any = numba.config
_alike: Any = _alike_in_python if _settings.DISABLE_JIT else intrinsic(_alike_compiled)


@part
def tell_on(kind: Record, last: int, row: Record) -> int:
    """A row of a cycle that stands for more where nothing changes; returns its number, from 1.

    ``last``: number of the row of the cycle before, 0: there is none. Of ``row`` all bytes count.
    """
    if last and _alike(kind.rows[last - 1], row):
        kind.rows[last - 1].cycles += row.cycles
        return last
    add_row(kind, row)
    return kind.count  # type: ignore[no-any-return]


def taken(account: Records, last: bool) -> dict[str, Records]:
    """The rows of a pass by kind, which are forgotten.

    They are copies, unless this was the ``last`` pass of a step. ``account``: an array of one.
    """
    found = {}
    for kind in account.dtype.names or ():
        if kind == "memory":
            continue
        buffer = account[kind][0]
        rows = buffer["rows"][: buffer["count"]]
        found[kind.removesuffix("_")] = rows if last else copied(rows)
        account[kind]["count"] = 0
    return found


class Told:
    """What the kernel of a model tells; nothing until somebody asks.

    Attributes:
        accounts: for the next pass of the kernel, an array of one record, or of none; the system
            provides what is written to.
    """

    def __init__(self, account: np.dtype[Any]) -> None:
        """Tell nothing; ``account``: as of :func:`account_of`, with ``memory``."""
        # that of the next pass first, then those that no pass of this step has used
        self._rooms: deque[Records] = deque([np.zeros(0, account)])
        self._passes = 0  # of this step
        self.accounts = for_kernel(self._rooms[0])

    def keep(self) -> Records:
        """Tell from now on; returns ``memory``, all of it 0, as an array of one."""
        room: Records = np.zeros(1, self._rooms[0].dtype)
        self._rooms = deque([room])
        self.accounts = for_kernel(room)
        memory: Records = room["memory"]
        return memory

    def taken(self, last: bool) -> list[dict[str, Records]]:
        """What a pass has told, if anything is: it stays where it is, the next has other room.

        ``last``: of a step.
        """
        room = self._rooms[0]
        if not len(room):
            return []
        self._passes += 1
        if self._passes == len(self._rooms):
            self._rooms.insert(1, np.zeros(1, room.dtype))
        self._rooms.rotate(-1)
        self._passes = 0 if last else self._passes
        following = self._rooms[0]
        memory = slice(room.dtype["memory"].itemsize)  # raw, since field by field takes long
        following.view(np.uint8)[memory] = room.view(np.uint8)[memory]
        self.accounts = for_kernel(following)
        return [taken(room, True)]
