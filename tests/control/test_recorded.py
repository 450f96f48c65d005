# SPDX-License-Identifier: Apache-2.0
"""Profiles do not differ in what is recorded."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from tilepath.tests.cosim_runs import FAST, assert_equal, simulate, trace_files
from tilepath.tests.traces.cases import DECLARED

TRACES: Final = DECLARED["control"]


def test_profiles_do_not_differ(tmp_path: Path) -> None:
    """docs/control.md section 11."""
    one, other = (
        trace_files(simulate(TRACES.request("random_mix", 3, profile, FAST, tmp_path / profile)))
        for profile in ("baseline", "blackhole")
    )
    assert_equal(one, other)
