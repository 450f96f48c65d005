# SPDX-License-Identifier: Apache-2.0
"""``frontend+control``: what is recorded at the seam."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import numpy as np

from tilepath.tb.frontend.streams import THREADS
from tilepath.tests.cosim_runs import FAST, recorded, simulate
from tilepath.tests.traces.cases import DECLARED

TRACES: Final = DECLARED["frontend_control"]


def test_what_is_offered_issues_once_and_in_order(tmp_path: Path) -> None:
    """The two blocks' own streams agree on each word that crosses the seam, and when."""
    seen = recorded(simulate(TRACES.request("random_mix", 12, "baseline", FAST, tmp_path)))
    for thread in range(THREADS):
        offered = seen[f"t{thread}.offer"]
        issued, dispatched = seen[f"t{thread}.issue"], seen[f"t{thread}.dispatch"]
        assert len(dispatched) > 100
        # illegal words leave the front end, but never come to the gate
        issued = issued[issued["illegal"] == 0]
        assert np.array_equal(issued["cycle"], dispatched["cycle"])
        assert np.array_equal(issued["word"], dispatched["word"])
        assert np.array_equal(offered["word"][: len(dispatched)], dispatched["word"])
        assert len(offered) - len(dispatched) in (0, 1)
        assert (offered["cycle"][: len(dispatched)] <= dispatched["cycle"]).all()
        assert (offered["cycle"][1:] > dispatched["cycle"][: len(offered) - 1]).all()
