# SPDX-License-Identifier: Apache-2.0
"""An arbiter: several clients whose offers the model has to see before they are taken."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tilepath.engine.coverage.bins import PointGroup
from tilepath.engine.coverage.model import CoverageModel
from tilepath.engine.coverage.tally import Tally
from tilepath.engine.description.cycle_model import CycleModel
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


class Arbiter(CycleModel):
    """Serves in turn whoever offers a word."""

    boundary = WIRING.boundary()

    def __init__(self, profile: str = "") -> None:
        super().__init__(profile)
        self._first = 0

    def cycle(self, given: Mapping[str, Any]) -> Mapping[str, Any]:
        """The first one from the client on who is the first to be asked."""
        offers = [given[f"{client}_valid"] for client in CLIENTS]
        order = [(self._first + n) % len(CLIENTS) for n in range(len(CLIENTS))]
        chosen = next((n for n in order if offers[n]), None)
        taken = given["out_ready"] and chosen is not None
        out = {f"{c}_ready": int(taken and n == chosen) for n, c in enumerate(CLIENTS)}
        out |= {"out_valid": int(chosen is not None), "out": None}
        if taken:
            out["out"] = (given[CLIENTS[chosen]], chosen)
            self._first = (chosen + 1) % len(CLIENTS)
        return out


POINTS = PointGroup()
POINTS.add("served", tuple(CLIENTS))


class Coverage(CoverageModel):
    """Who was served."""

    def __init__(self, profile: str) -> None:
        self._tally = Tally(POINTS)
        super().__init__("arbiter", profile, self._tally)

    def count(self, streams: Mapping[str, Records], _start: int, _end: int) -> None:
        """Count words that went out."""
        self._tally.hit("served", streams["out"]["client"])


BLOCK = wired_block(WIRING, Arbiter, Coverage)
