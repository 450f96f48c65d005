# SPDX-License-Identifier: Apache-2.0
"""What the traces say of correct software."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from tilepath.tb.unpack.streams import WRITE_FAULTS
from tilepath.tests.cosim_runs import FAST, recorded, simulate
from tilepath.tests.traces.cases import DECLARED

TRACES: Final = DECLARED["unpack"]


def test_correct_software_is_told_of_nothing_that_is_undefined(tmp_path: Path) -> None:
    seen = recorded(simulate(TRACES.request("random_default", 3, "baseline", FAST, tmp_path)))
    quiet = ["u0.read_fault", "u1.read_fault", "unit_fault", "counter_conflict"]
    assert [name for name in quiet if len(seen[name])] == []
    for u in range(2):  # an empty row that flips is legal: empty_flip is a warning
        told = seen[f"u{u}.write_fault"]
        assert [name for name in WRITE_FAULTS if name != "empty_flip" and told[name].any()] == []
