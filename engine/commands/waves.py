# SPDX-License-Identifier: Apache-2.0
"""Waves of what failed, made when all verdicts are there: if that fails, only they are lost."""

from __future__ import annotations

import signal
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor

from tilepath.engine.commands.processes import Interrupted, end_descendants, signals_raise
from tilepath.engine.commands.regression import Outcome
from tilepath.engine.host import waves

# The tests replace this.
make_waves = waves.make_waves


def add_waves(outcomes: Sequence[Outcome], say: Callable[[str], None]) -> None:
    """Make waves around the mismatches of ``outcomes``; Ctrl-C leaves out those that are not there.

    Raises:
        Interrupted: SIGTERM, or a closed terminal.
    """
    pending: list[Future[str]] = []
    pool = ThreadPoolExecutor(1)
    try:
        with signals_raise():
            for outcome in outcomes:
                pending = [pool.submit(_told, outcome, say)]
                if text := pending[0].result():
                    say(text)
    except Interrupted as error:
        pool.shutdown(wait=False, cancel_futures=True)
        end_descendants(pending)
        if error.exit_status != 128 + signal.SIGINT:
            raise
        say("interrupted: no more waves")
    pool.shutdown()


def _told(outcome: Outcome, say: Callable[[str], None]) -> str:
    """Make waves of one run; what became of them, in a line, or nothing if none were to be made."""
    label, report = outcome.run.label, outcome.report
    if report is None:
        return ""

    def begins(what: str) -> None:
        say(f"making waves of {label}{what and f': {what}'} (Ctrl-C: without)")

    try:
        path = make_waves(report if report.is_dir() else report.parent, begins)
    except Exception as error:  # the verdict matters more
        return f"no waves of {label}: {str(error).partition(chr(10))[0]}"
    return f"waves of {label}: {path}" if path else ""
