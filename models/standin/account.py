# SPDX-License-Identifier: Apache-2.0
"""The account of the math stand-in: what instructions saw, read, made and waited for, a row each.

The model keeps it where it is asked to (``compiled``). An instruction's rows come when it has
left; of one that is inside at the end of a run there are none. Numbers: ``op`` as in ``plan.OPS``,
``thread`` 0 to 2, files SrcA, SrcB, Dst; banks and data as in docs/standin.md.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import numpy as np

from tilepath.engine.compiled.account import account_of
from tilepath.engine.compiled.records import Records, attribute, record
from tilepath.models.standin.plan import COUNTERS, PLAN

# ── Kinds of rows ────────────────────────────────────────────────────────────────────────────────

_WHEN: Final = {"cycle": np.uint32, "thread": np.uint8, "op": np.uint8}

INSTRUCTION: Final = record(  # one that has left (M30); what it saw is as sampled
    **_WHEN,  # of its issue
    word=np.uint32,
    sampled=np.uint32,  # cycle
    last=np.uint32,
    # writes to Config, and of its thread by SETC16: one cycle before sampling, in that cycle, later
    cfg_writes=(np.uint16, 3),
    setc16s=(np.uint16, 3),
    rwc=(np.int64, COUNTERS),  # as in ``plan.Rwc``
    offset=np.uint16,  # rows
    # words of the address modifier that is applied (M6); 0: none
    mod_ab=np.uint32,
    mod_dst=np.uint32,
    mod_bias=np.uint32,
    fp32=np.uint8,  # Fp32_enabled
    # Dst's addresses (P52, M27), as configured
    swizzle=np.uint8,
    remap=np.uint8,
    absolute=np.uint8,
    # SrcA's and SrcB's banks (M7, M28)
    unpack_banks=(np.uint8, 2),
    keeps_owner=(np.uint8, 2),  # ThreadConfig: giving back leaves the owner
    owners=(np.uint8, 2),  # of its banks, in the last cycle; 1: Matrix Unit
    plan=PLAN,
)
ROW: Final = record(  # a row written (M31)
    **_WHEN,
    target=np.uint8,  # a ``plan.Target``
    number=np.uint16,  # of the row in its file
    reads_dst=np.uint8,  # whether a row of Dst was read for it, its width and valid bit (M14)
    wide=np.uint8,
    valid=np.uint8,
)
RESULT: Final = record(  # a datum that an arithmetic instruction writes to Dst (M20, M21, M23)
    **_WHEN,
    stored=np.uint32,
    wide=np.uint8,
    five=np.uint8,  # whether it was computed with five bits of exponent
    integers=np.uint8,
)
TERM: Final = record(  # a datum of ELWMUL, ELWADD, ELWSUB, without integers
    **_WHEN,
    a=np.uint32,  # as cut (M11); of ELWSUB, b has its sign inverted (M13)
    b=np.uint32,
    zeros=np.uint8,  # bit 0 SrcA's counts as 0 (M13), bit 1 SrcB's
    distance=np.int16,  # exponent of ``a``, less that of ``b``
    larger=np.uint8,  # by exponent and mantissa (M18): 0 neither, 1 ``a``, 2 ``b``
    opposite=np.uint8,  # whether their signs are
    # of a product the sum (M17); of a sum the larger one, 112 more if a wide Dst holds five bits
    exponent=np.int16,
    phase=np.uint8,
    wide=np.uint8,
    five=np.uint8,
    accumulates=np.uint8,
    old=np.uint8,  # exponent of what was read of Dst (M19)
)
DOT: Final = record(  # a datum of MVMUL or GAPOOL, without integers (M18)
    **_WHEN,
    tops=(np.int16, 2),  # largest exponent of each group
    zeros=np.uint8,  # products that have a factor that is 0, of 16
    # the others of groups whose top is positive, by the bits that they are shifted down: 0; 1 to
    # 10; 11, which leaves the highest bit; 12, which leaves its rounding; more, nothing
    shifts=(np.uint8, 5),
    phase=np.uint8,
)
MAXIMUM: Final = record(  # a datum of GMPOOL as it should be used, of row 0 (M23)
    **_WHEN,
    of_a=np.int32,  # the largest of SrcA, as a number by which data compare
    of_dst=np.int32,  # what Dst held
)
MOVED: Final = record(  # a datum read by MOVA2D or MOVB2D (M24)
    **_WHEN,
    datum=np.uint32,
    keeps_denormals=np.uint8,
)
PAUSE: Final = record(  # pauses one after the other while an instruction is inside (M32)
    **_WHEN,  # of the first
    cycles=np.uint32,
    kept=np.uint8,  # whether a row was read in the cycle before
    sampled=np.uint8,  # whether the instruction has been; and what its next cycle does
    reads=np.uint8,
    writes=np.uint8,
    last=np.uint8,
)
STORE: Final = record(  # a core's store to ThreadConfig
    cycle=np.uint32,
    thread=np.uint8,
    index=np.uint8,
    setc16=np.int16,  # index of the SETC16 of that thread in the same cycle, which wins; -1: none
)
KINDS: Final[Mapping[str, np.dtype[Any]]] = {
    "instruction": INSTRUCTION, "row": ROW, "result": RESULT, "term": TERM,
    "dot": DOT, "maximum": MAXIMUM, "moved": MOVED, "pause": PAUSE, "store": STORE,
}  # fmt: skip
# Most rows of a cycle; an instruction has those of half of ``_LONGEST`` at most
_MOST: Final = dict.fromkeys(("result", "term", "dot", "maximum", "moved"), 16)
_LONGEST: Final = 64  # cycles

MEMORY: Final = record(
    # rows of instructions that have left
    whole=record(**dict.fromkeys(map(attribute, KINDS), np.int64)),
)
CYCLES: Final = 2048  # in which anything happens, in a pass
ACCOUNT: Final = account_of(KINDS, CYCLES + _LONGEST, _MOST, MEMORY)


def whole_rows(told: Mapping[str, Records], following: Records) -> dict[str, Records]:
    """The rows of instructions that have left; the others begin the next pass."""
    whole = following["memory"]["whole"]
    found = {}
    for kind, rows in told.items():
        field = attribute(kind)
        left = rows[int(whole[field][0]) :]
        following[field]["rows"][0, : len(left)] = left
        following[field]["count"] = len(left)
        found[kind] = rows[: int(whole[field][0])]
        whole[field] = 0
    return found
