# SPDX-License-Identifier: Apache-2.0
"""Checks a stored run again, without simulating: the traces on disk against the present model."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from tilepath.tb.kernel.checking.checker import Checker
from tilepath.tb.kernel.checking.mismatch import MismatchError
from tilepath.tb.kernel.checking.trace import TraceError, stored_blocks
from tilepath.tb.kernel.description.registry import load_block, tests_of
from tilepath.tb.kernel.description.stimulus import scaled_floor
from tilepath.tb.kernel.host.request import RunRequest


@dataclass(frozen=True)
class CheckResult:
    """``status``: ``pass`` or ``fail``; ``events``: output events compared; ``message``: why."""

    status: str
    events: int
    message: str


def check_run(run_dir: Path) -> CheckResult:
    """Check the traces in ``run_dir``; ``ValueError`` when it is no run, or kept no traces."""
    request = RunRequest.from_json(run_dir / "request.json")
    try:
        outcome = json.loads((run_dir / "outcome.json").read_text())
        ends = [int(end) for end in outcome["ends"]]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ValueError(f"{run_dir} holds no run that came to an end: {error}") from None
    if not request.check or not request.keeps_trace:
        raise ValueError(f"{run_dir} kept no traces: the run was too long, or not recorded")
    if not ends:
        raise ValueError(f"{run_dir} holds no cycle to check")
    block = load_block(request.block)
    checker = Checker(block, request.profile)
    try:
        for part in stored_blocks(run_dir / "trace", block.stream_table, ends):
            checker.check(part)
    except MismatchError as error:
        return CheckResult("fail", checker.events, error.mismatch.report())
    except TraceError as error:
        return CheckResult("fail", checker.events, str(error))
    spec = tests_of(request.block).get(request.test)
    if spec is None:
        raise ValueError(f"{run_dir}: block {request.block} has no test {request.test} any more")
    floor = scaled_floor(spec, request.endless_cycles)
    short = [
        f"{name} {checker.seen(name)} < {n}" for name, n in floor.items() if checker.seen(name) < n
    ]
    if checker.events == 0 or short:
        return CheckResult(
            "fail", checker.events, "too few events: " + (", ".join(short) or "none")
        )
    return CheckResult("pass", checker.events, "")
