# SPDX-License-Identifier: Apache-2.0
"""Waves around a mismatch: the failing run again, once its verdict is known."""

from __future__ import annotations

import contextlib
import json
import shutil
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from tilepath.engine.description.registry import tests_of
from tilepath.engine.host.build import build
from tilepath.engine.host.files import read_text
from tilepath.engine.host.launch import wave_path
from tilepath.engine.host.request import RunRequest, RunResult
from tilepath.engine.host.run import build_options, run
from tilepath.engine.host.verdict import write_report

_BEFORE: Final = 200  # cycles of waves before the mismatch
_AFTER: Final = 50
_TOOK: Final = "seconds"
"""File beside a build with waves: how long it took to compile."""


def make_waves(folder: Path, begins: Callable[[str], None]) -> Path | None:
    """Run what failed in ``folder`` again, with waves around its mismatch; their file.

    ``None`` where no mismatch was found, or it has waves. Before anything else ``begins`` is called
    with what is to be compiled, and how long that took the last time, or with an empty text. The
    report and the result name the waves once they are there. Whatever ends this leaves those two as
    they were, and nothing else.

    Raises:
        RuntimeError: the run did not fail again; as :class:`.build.BuildError`: it does not compile
            with waves.
        OSError: there is no room to write.
    """
    folder = folder.resolve()
    try:
        request = RunRequest.from_json(folder / "request.json")
        result = RunResult.from_json(folder / "result.json")
        outcome = json.loads(read_text(folder / "outcome.json"))
    except (OSError, ValueError):  # it did not come to an end
        return None
    if result.report is None or result.waves is not None or "mismatch_cycle" not in outcome:
        return None
    again = _request(request, outcome)
    try:
        _built(again, begins)
        became, path = run(again), wave_path(again)
        if became.status != result.status or not path.exists():
            raise RuntimeError(f"run again it was otherwise: {became.status}, {became.message}")
    except BaseException:
        shutil.rmtree(again.out_dir, ignore_errors=True)
        raise
    write_report(request, outcome["report"], path)
    replace(result, waves=path).write_json()
    return path


def _request(request: RunRequest, outcome: dict[str, Any]) -> RunRequest:
    """The run again, with waves around the cycle of its mismatch and not much longer."""
    cycle = int(outcome["mismatch_cycle"])
    last = cycle + _AFTER
    endless = tests_of(request.block)[request.test].endless
    block_cycles = usual = request.cycles_per_block(endless)
    # the cycles that it had: all, or up to the block in which it failed
    if endless or cycle < int(outcome["cycles"]):
        # a run ends with the block of the mismatch: make one end where the waves shall
        block_cycles = -(-last // -(-last // usual))
    # else it was found at the end of a finite test, which depends on the length of the blocks
    return replace(
        request,
        waves=True,
        coverage=False,
        rtl_coverage=False,
        out_dir=request.run_dir / "rerun",
        wave_window=(max(0, cycle - _BEFORE), last),
        block_cycles=block_cycles,
    )


def _built(again: RunRequest, begins: Callable[[str], None]) -> None:
    """Compile what runs with waves, unless it is there, after a call of ``begins``."""
    options = build_options(again)
    began: list[float] = []

    def compiles() -> None:
        what = "netlist" if again.netlist else "RTL"
        took = _last_time(options.build_root / again.sim, again.block)
        begins(f"compiling the {what} of {again.block} with waves for {again.sim}{took}")
        began.append(time.monotonic())

    product = build(again.block, options, compiles)
    if began:
        (product.parent / _TOOK).write_text(f"{time.monotonic() - began[0]:.0f}")
    else:
        begins("")


def _last_time(store: Path, block: str) -> str:
    """How long a block's newest build with waves took, as part of a sentence; empty: unknown."""
    times = {}
    for path in store.glob(f"{block}-*/{_TOOK}"):
        with contextlib.suppress(OSError):  # removed meanwhile
            times[path.stat().st_mtime] = path.read_text()
    return f", {times[max(times)]} s last time" if times else ""
