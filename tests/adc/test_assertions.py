# SPDX-License-Identifier: Apache-2.0
"""Every assertion of the address counters' HDL fires when what it watches is broken."""

from __future__ import annotations

from pathlib import Path

from tilepath.tb.kernel.host.run import RunRequest, run
from tilepath.tests.planted import SIM, assertions, broken, changed_rtl


def test_all_assertions_are_known() -> None:
    assert assertions("rtl/adc", "tb/adc") == {"adc_group.sv": 1}


def test_a_width_that_cannot_be(tmp_path: Path) -> None:
    """A command has 13 bits for a Z or W; the assertion fires before the first cycle."""
    wider = ("adc.sv", ".ZwW(ZwW)", ".ZwW(ZwW + 6)")
    request = RunRequest(
        block="adc",
        test="vectors",
        seed=1,
        sim=SIM,
        coverage=False,
        source_root=changed_rtl(tmp_path, "adc", [wider]),
        build_root=tmp_path / "build",
        out_dir=tmp_path / "runs",
        rerun_for_waves=False,
    )
    result = run(request)
    broken(result, "adc_group: ZwW = 14 is not")
    assert result.cycles == 0
