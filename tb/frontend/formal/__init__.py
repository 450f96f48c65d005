# SPDX-License-Identifier: Apache-2.0
"""Proofs of the front end: its queues, and what becomes of ordinary words on their way through."""

from __future__ import annotations

from tilepath.engine.description.proof import Proof

PROOFS = (
    Proof(
        name="queue",
        top="fe_queue_proof",
        what="fe_queue loses, duplicates and reorders no word, and knows its kind",
        steps=3,
        induction=1,
        reach=34,
        cases=({"Depth": 2}, {"Depth": 8}, {"Depth": 32}),
    ),
    Proof(
        name="pass",
        top="fe_pass_proof",
        what="ordinary words leave the thread as they were pushed, in order, each once",
        steps=3,
        induction=1,
        reach=18,
        cases=({"FifoDepth": 32, "MDepth": 8, "RDepth": 2},),
    ),
    Proof(
        name="expand",
        top="fe_expand_proof",
        what="so do they across MOPs, recordings and playbacks; what else leaves comes from these",
        steps=3,
        induction=1,
        reach=12,
        cases=({"FifoDepth": 4, "MDepth": 2, "RDepth": 2},),
    ),
)
