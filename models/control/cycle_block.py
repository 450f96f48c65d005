# SPDX-License-Identifier: Apache-2.0
"""State of the cycle-exact model: architectural state, and what is on its way through the block.

Times are cycles. What an instruction will do is dated when it enters a unit; rings of eight
entries, at :func:`slot` of a cycle, hold what is dated for one of the next cycles.
"""

from __future__ import annotations

import functools
from typing import Final

import numpy as np
import numpy.typing as npt

from tilepath.engine.compiled.jit import part
from tilepath.engine.compiled.records import Record, Records, record
from tilepath.isa.boundary.control import VIEWERS
from tilepath.isa.profiles import Profile
from tilepath.models.control.instructions import THREADS, Resource
from tilepath.models.control.state import SEMAPHORES, STATE, reset_state

_LONG_AGO: Final = -16  # nothing has happened before cycle 0
_RING: Final = 8

# --- Wait gate, one a thread (section 3)

OFFERED: Final = record(  # the word that is offered
    valid="?", word="i8", kind="i8", block_class="i8", resource="i8", banks="i8", origin="i8"
)
LATCH: Final = record(
    kind="i8",  # 0: not valid; else one of ``LatchKind``
    mask="i8",  # ``block`` of the contract: the classes that the word names
    what="i8",  # see ``values.latch_what``
    target="i8",  # STREAMWAIT: TargetLo up to the first valid cycle, from then on the whole (C11)
    holds="i8",  # class bits of the words that it holds
    met="?",  # its condition is met in this cycle
    set_in="i8",  # cycle in which the wait issued
    gone_from="i8",  # first cycle without it
    origin="i8",
)
_SETC16: Final = record(issued_in="i8", index="i8", value="i8", origin="i8")
_GATE: Final = record(
    offered=OFFERED,
    busy="i8",  # the conditions of STALLWAIT as this thread sees them (C17)
    issued_in="i8",  # cycle of the last issue
    asks_for="i8",  # resource in this cycle; NOTHING: no word, or it is held
    wins="?",  # the word issues in this cycle
    latch=LATCH,
    setc16=_SETC16,
    result="i8",  # register that the word before writes, if it is a scalar one; -1 (C27)
)
NOTHING: Final = -1

# --- Config unit (section 4)

ENTRANT: Final = record(  # what issued last; ``word`` of an access of the cores: its address
    issued_in="i8", kind="i8", source="i8", word="i8", origin="i8", write="?", value="i8"
)
_PREPARE: Final = record(  # the STREAMWRCFG in stage -4
    valid="?", source="i8", word="i8", bank="i8", stream="i8", origin="i8"
)
WRITE: Final = record(  # in stage 0
    valid="?",
    kind="i8",
    source="i8",
    banks="i8",
    index="i8",
    quad="?",
    words=("i8", 4),
    origin="i8",
    from_stream="?",  # the word still has to be read from this stream register, in stage -3
    stream="i8",
    register="i8",
)
_RESULT: Final = record(valid="?", thread="i8", gpr="i8", value="i8", origin="i8")
_THREAD_WRITE: Final = record(valid="?", thread="i8", index="i8", value="i8")
_CONFIG_UNIT: Final = record(
    entry=ENTRANT,
    prepare=_PREPARE,
    stages=("i8", _RING),  # bits of ``Stage`` that something is in, all but -4
    writes=(WRITE, _RING),
    results=(_RESULT, _RING),  # of RDCFG, in stage +1
    risc_write=_THREAD_WRITE,  # to ThreadConfig in this cycle
    # First cycles in which an instruction may issue (section 4, "Available"); a STREAMWRCFG asks
    # stage -4 instead
    wrcfg_from="i8",  # WRCFG: stages -3 and -2 are empty from then on
    others_from="i8",  # the others and the cores: -3, -2 and -1 are
    shown="i8",  # value of ``config_pipe``
)

# --- Scalar unit (section 6)

SCALAR_UNIT: Final = record(  # who is or was in it
    issued_in="i8",
    last="i8",  # last cycle in the unit; NEVER while that is not known
    kind="i8",
    thread="i8",
    word="i8",
    origin="i8",
    operand_a="i8",  # of ADDDMAREG and MULDMAREG
    writes_gpr="?",  # at the end of this cycle
    gpr="i8",
    halves="i8",
    value="i8",
    writes_config="?",  # at the end of this cycle
    bank="i8",
    words=("i8", 4),
    shown="i8",  # value of ``scalar``
)

# --- Sync unit (section 5) and the cores' ports

_OPERATION: Final = record(  # acts in the cycle after it won
    issued_in="i8", kind="i8", word="i8", of_cores="?", thread="i8", origin="i8"
)
_SYNC_UNIT: Final = record(
    operation=_OPERATION,
    semaphores_changed="?",
    semaphores_origin="i8",
    mutexes_changed="?",
    mutexes_origin="i8",
    mutexes_shown="i8",
    lost=("i8", SEMAPHORES),  # SEMPOSTs at the most that a semaphore can be (C26)
)
_PORT: Final = record(
    offered="i8",  # cycle of the next access; NEVER: there is none yet
    done_in="i8",  # of the last access
    asks="?",  # for its resource, in this cycle
)

# --- Views of units 0 to 2: the last word that issued to them

_VIEW: Final = record(issued_in="i8", thread="i8", index="i8", origin="i8")
VIEWS: Final = len(VIEWERS)

# A write to a stream register, and what it replaced
_STREAM_WRITTEN: Final = record(cycle="i8", stream="i8", register="i8", before="i8")

_STICKY: Final = record(cfg_oob="?", shown="?", origin="i8")

BLOCK: Final = record(
    state=STATE,
    stale_gpr="i8",  # parameter of the profile
    gates=(_GATE, THREADS),
    config_unit=_CONFIG_UNIT,
    scalar_unit=SCALAR_UNIT,
    sync_unit=_SYNC_UNIT,
    risc=_PORT,
    risc_sem=_PORT,
    views=(_VIEW, VIEWS),
    sticky=_STICKY,
    hold="i8",
    unit_ready="i8",
    stream_busy="i8",
    stream_written=_STREAM_WRITTEN,  # the last one
    pointers=("i8", Resource.NONE),  # of the round-robin arbiters, by resource (C24)
    active_until="i8",  # no cycle is skipped up to this one: see ``stay_awake``
)


# How long something goes on, for ``stay_awake``. A cycle too many does no harm, one too few does.
ISSUE_LASTS: Final = 5  # an addition is in its unit for 4 cycles; in the next `scalar` shows idle
STREAM_WRITE_LASTS: Final = 5  # stage 0 is 4 cycles behind -4; in the next `config_pipe` is empty
CHANGE_LASTS: Final = (
    2  # what changes at the end of a cycle shows in the next one, and one to spare
)
FLOP_LASTS: Final = 1  # REG2FLOP writes in its last cycle; in the next one `scalar` shows idle


@part
def stay_awake(block: Record, until: int) -> None:
    """Skip no cycle up to ``until``: something is dated for one, or shows in one."""
    block.active_until = max(block.active_until, until)


@part
def slot(cycle: int) -> int:
    """Place of a cycle in a ring."""
    return cycle & (_RING - 1)


@functools.cache
def _after_reset() -> npt.NDArray[np.uint8]:
    blocks = np.zeros(1, BLOCK)
    blocks["state"] = reset_state()
    gates = blocks["gates"]
    gates["issued_in"] = _LONG_AGO
    gates["result"] = -1
    gates["latch"]["set_in"] = gates["latch"]["gone_from"] = _LONG_AGO
    gates["setc16"]["issued_in"] = blocks["views"]["issued_in"] = _LONG_AGO
    config_unit, scalar_unit = blocks["config_unit"], blocks["scalar_unit"]
    config_unit["entry"]["issued_in"] = _LONG_AGO
    config_unit["wrcfg_from"] = config_unit["others_from"] = _LONG_AGO
    scalar_unit["issued_in"] = scalar_unit["last"] = _LONG_AGO
    blocks["sync_unit"]["operation"]["issued_in"] = _LONG_AGO
    blocks["risc"]["done_in"] = blocks["risc_sem"]["done_in"] = _LONG_AGO
    blocks["active_until"] = blocks["stream_written"]["cycle"] = _LONG_AGO
    return blocks.view(np.uint8)


def reset_block(profile: Profile) -> Records:
    """The block after reset, an array of one.

    Raises ``ValueError`` for a profile that the cycle contract has no timing for: it knows one
    prepare cycle of a STREAMWRCFG (C16).
    """
    if profile.streamwrcfg_prep != 1:
        raise ValueError(f"streamwrcfg_prep {profile.streamwrcfg_prep}: want 1")
    blocks = _after_reset().copy().view(BLOCK).view(np.recarray)
    blocks["stale_gpr"] = profile.stale_gpr
    return blocks
