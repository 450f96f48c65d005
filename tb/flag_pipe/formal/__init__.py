# SPDX-License-Identifier: Apache-2.0
"""Proofs of the flag pipe: flags are tokens of slots (I1 to I4), and when it stands still.

Of the first pipe of a pair, with a credit for each slot and no halves; other pipes are beside it.
"""

from __future__ import annotations

from tilepath.engine.description.proof import Proof

PROOFS = (
    Proof(
        name="flags",
        top="pipe_flags_proof",
        what="one token a slot, no SET at a set flag, tags in step, stuck only where a program is",
        steps=2,
        induction=1,
        cases=tuple(
            {"Nflags": nflags, "HoldMax": hold_max, "Pair": pair}
            for nflags in (4, 8)
            for hold_max in (1, nflags)
            for pair in (0, 1)
        ),
    ),
    # the same without induction: a bug is shown with all that led to it
    Proof(
        name="reset",
        top="pipe_flags_proof",
        what="the same from reset; rings get full, and a push waits",
        steps=18,
        reach=40,
        cases=({"Nflags": 4, "HoldMax": 1, "Pair": 0, "Others": 0},),
    ),
)
