# SPDX-License-Identifier: Apache-2.0
"""An arbiter: several clients whose offers the model has to see before they are taken."""

from __future__ import annotations

import numpy as np

from tilepath.engine.compiled.jit import compiled
from tilepath.engine.compiled.records import record
from tilepath.engine.description.cycle_model import CompiledCycleModel
from tilepath.engine.description.naming import ports, proposed
from tilepath.engine.description.stream import Records
from tilepath.engine.description.wired_block import wired_block

CLIENTS = "abc"
WIRING = proposed(
    "arbiter",
    ports(
        "clk_i rst_ni out_ready_i " + " ".join(f"{c}_valid_i {c}_word_i:8" for c in CLIENTS),
        "out_valid_o out_word_o:8 out_client_o:2 " + " ".join(f"{c}_ready_o" for c in CLIENTS),
    ),
)


@compiled
def serve(state: Records, given: Records, made: Records) -> None:
    """The first one is served from the client on who is the first to be asked."""
    held = state[0]
    for now, out in zip(given, made):  # noqa: B905
        valid = (now.a_valid, now.b_valid, now.c_valid)
        word = (now.a_word, now.b_word, now.c_word)
        for n in range(3):
            client = (held.first + n) % 3
            if not out.out_valid and valid[client]:
                out.out_valid, chosen = 1, client
        if out.out_valid and now.out_ready:
            out.out, out.out_word, out.out_client = 1, word[chosen], chosen
            out.a_ready, out.b_ready, out.c_ready = chosen == 0, chosen == 1, chosen == 2
            held.first = (chosen + 1) % 3


class Arbiter(CompiledCycleModel):
    """Serves in turn whoever offers a word."""

    boundary = WIRING.boundary()
    held = record(first=np.int64)
    loop = staticmethod(serve)


BLOCK = wired_block(
    WIRING, Arbiter, {"served": (tuple("abc"), lambda streams: streams["out"]["client"])}
)
