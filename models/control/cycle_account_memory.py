# SPDX-License-Identifier: Apache-2.0
"""What the account keeps between cycles, and how its rows are written."""

from __future__ import annotations

from typing import Final

import numpy as np

from tilepath.engine.compiled.jit import part
from tilepath.engine.compiled.records import record
from tilepath.models.control.account import GATE, UNITS, Entry
from tilepath.models.control.instructions import THREADS, Kind

_REPLACED: Final = record(  # a write to Config, and what was there
    cycle=np.int64, writer=np.int64, thread=np.int64, banks=np.int64, index=np.int64,
    words=np.int64, new=(np.int64, 4), old=(np.int64, (2, 4)),
)  # fmt: skip
_WRITES: Final = record(due=np.bool_, now=_REPLACED, before=_REPLACED)  # of this cycle, and before
_THREAD: Final = record(
    row=GATE,  # of the cycle before, whose number is, from 1; 0: none goes on
    told=np.int64,
    faults=np.int64,
    # STREAMWAIT: the high part, and how it changed; the stream now and in the first valid cycle
    hi=np.int64,
    hi_changed=np.int64,
    stream=np.int64,
    first_stream=np.int64,
    redirected=np.int64,
    # the last SETC16 that wrote, and the last word of ThreadConfig that it changed
    setc16_in=np.int64,
    setc16_index=np.int64,
    setc16_changed=np.bool_,
    state_changed_in=np.int64,
    # by slots of cycles: words that issued, and what read StateID
    issued_in=(np.int64, 8),
    words=(np.int64, 8),
    kinds=(np.int64, 8),
    used_in=(np.int64, 8),
    uses=(np.int64, 8),
)  # fmt: skip
_ENTERED: Final = record(
    cycle=np.int64, entry=np.int64, thread=np.int64, index=np.int64, banks=np.int64,
    quad=np.bool_, writes=np.bool_, at_once=np.bool_,
)  # fmt: skip
MEMORY: Final = record(
    threads=(_THREAD, THREADS),
    config=_WRITES,
    flop=_WRITES,
    units=UNITS,  # as ``row`` of a thread
    units_told=np.int64,
    nothing=GATE,
    # the cores' write to ThreadConfig
    cores_in=np.int64,
    cores_thread=np.int64,
    cores_index=np.int64,
    cores_value=np.int64,
    cores_changed=np.bool_,
    entered=(_ENTERED, 8),
    # the STREAMWRCFG in stage -4, 1 + its thread, and what overtook it
    preparing=np.int64,
    prepares_from=np.int64,
    overtaken=(np.int64, (len(Entry), THREADS + 1)),
    # the last one that left it, and by slots all
    left_in=np.int64,
    left_thread=np.int64,
    prepared=np.int64,
    lefts_in=(np.int64, 8),
    lefts=(np.int64, 8),
    # the last operation of an instruction on semaphores
    acted_in=np.int64,
    operation=np.int64,
    selected=np.int64,
    offered=np.int64,  # cycles in which the cores' access was offered, the one before was done
    done=np.int64,
    at_once=np.bool_,
    out_of_range=np.bool_,
)


@part
def entry_of(kind: int) -> int:
    """``Entry`` of a ``Kind`` of the config unit."""
    if kind == Kind.STREAMWRCFG:
        return Entry.STREAMWRCFG
    if kind == Kind.WRCFG:
        return Entry.WRCFG
    if kind == Kind.CFGSHIFTMASK:
        return Entry.CFGSHIFTMASK
    if kind == Kind.RMWCIB:
        return Entry.RMWCIB
    return Entry.RDCFG if kind == Kind.RDCFG else Entry.CORES
