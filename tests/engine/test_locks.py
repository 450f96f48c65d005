# SPDX-License-Identifier: Apache-2.0
"""Locks that another process holds: said once, waited for, and not for ever."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Final

import pytest

from tilepath.engine.commands import processes
from tilepath.engine.host import locks, store
from tilepath.tests.commands import until

_FILES: Final = Path("/proc/self/fd")
_HOLDER: Final = """
import sys
from pathlib import Path
from tilepath.engine.host import store
with store.locked(Path(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.read()
"""


def waited_for(folder: Path, seconds: float) -> int:
    """The process that has the lock of a build for so long while a thread waits for it."""
    command = [sys.executable, "-c", _HOLDER, str(folder)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as holder:
        assert holder.stdout is not None and holder.stdout.readline() == "held\n"
        waiting = _Waiting(folder)
        time.sleep(seconds)
        assert waiting.is_alive() and holder.stdin is not None
        holder.stdin.close()
        waiting.join(20)
    assert waiting.error is None and not waiting.is_alive()
    return holder.pid


class _Waiting(threading.Thread):
    """Takes the lock of a build in a thread; ``error``: what came instead."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self._folder = folder
        self.error: BaseException | None = None
        self.start()

    def run(self) -> None:
        try:
            with store.locked(self._folder):
                pass
        except RuntimeError as error:
            self.error = error


def test_who_holds_a_lock_is_said_once_and_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(locks, "SAY_AFTER", 0.05)
    folder = tmp_path / "icarus" / "adc-0123456789abcdef"
    holder = waited_for(folder, 0.6)
    (line,) = capfd.readouterr().err.splitlines()
    said = f"tilepath: adc (icarus) is being compiled (processes: {holder}): waiting for it"
    assert line == said


def test_what_is_held_for_a_moment_is_not_worth_a_word(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    waited_for(tmp_path / "adc-0", 0.2)
    assert capfd.readouterr().err == ""


def test_another_thread_has_said_what_it_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(locks, "SAY_AFTER", 0.05)
    with store.locked(tmp_path / "adc-0"):
        waiting = _Waiting(tmp_path / "adc-0")
        time.sleep(0.4)
        assert waiting.is_alive()
    waiting.join(20)
    assert waiting.error is None and capfd.readouterr().err == ""


def test_who_has_to_end_waits_no_longer(tmp_path: Path) -> None:
    """As with Ctrl-C: a thread in a lock would keep the process for as long as the other builds."""
    with store.locked(tmp_path / "adc-0"):
        waiting = _Waiting(tmp_path / "adc-0")
        until(lambda: waiting.is_alive())
        locks.given_up.set()
        waiting.join(20)
        locks.given_up.clear()
    assert isinstance(waiting.error, locks.GivenUpError)


def test_a_command_that_ends_gives_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[bool] = []

    def descendants() -> list[int]:
        seen.append(locks.given_up.is_set())
        return []

    monkeypatch.setattr(processes, "descendants", descendants)
    processes.end_descendants([])
    assert seen == [True] and not locks.given_up.is_set()


def test_a_lock_leaves_no_file_open(tmp_path: Path) -> None:
    before = len(list(_FILES.iterdir()))
    with locks.held(tmp_path / "lock", ""):
        with pytest.raises(BlockingIOError), locks.held(tmp_path / "lock", ""):
            pass
        assert os.getpid() in locks.holders(tmp_path / "lock")
    assert len(list(_FILES.iterdir())) == before
    assert (locks.named([3, 7]), locks.named([])) == (" (processes: 3, 7)", "")
