# SPDX-License-Identifier: Apache-2.0
"""``tilepath watch``: real saves in a small checkout, and how it ends."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from tilepath.engine.commands.simulation import with_sources
from tilepath.tests.cli.fakes import invoke
from tilepath.tests.cli.files import environment_of, small_checkout, tilepath, write
from tilepath.tests.commands import refused, until

_SECONDS: Final = 240  # a verdict may have to wait for a compilation on a busy machine


class Watching:
    """``tilepath watch`` of the block doubler, in a checkout of its own."""

    def __init__(self, folder: Path) -> None:
        self.root = small_checkout(folder)
        assert tilepath(self.root, "new-block", "doubler").returncode == 0
        environment = {**environment_of(self.root), "PYTHONDONTWRITEBYTECODE": ""}
        where = {"cwd": self.root, "env": environment}
        self.log = folder / "log"
        command = (sys.executable, "-m", "tilepath", "watch", "--block", "doubler")
        with self.log.open("w") as out:
            self.process = subprocess.Popen(command, stdout=out, stderr=out, **where)
        self._read = 0
        self._second = int(time.time())

    def next(self) -> str:
        """What it says next, without the times."""
        pattern = re.compile(r"\d\d:\d\d:\d\d (.*?) \([\d.]+ s\)\n", re.DOTALL)

        def told() -> re.Match[str] | None:
            assert self.process.poll() is None, self.log.read_text()
            return pattern.match(self.log.read_text(), self._read)

        until(lambda: told() is not None, _SECONDS)
        found = told()
        assert found is not None
        self._read = found.end()
        return found[1]

    def save(self, name: str, old: str, new: str) -> str:
        """Save ``name`` with ``new`` in place of ``old``, as editors do; what is said of it."""
        path = self.root / name
        text = path.read_text()
        assert text.count(old) >= 1
        beside = path.with_name("4913")  # vim's
        beside.write_text(text.replace(old, new))
        # all in one second, as on a fast machine: Python goes by seconds and sizes
        os.utime(beside, (self._second, self._second))
        beside.rename(path)
        return self.next()


@pytest.fixture
def watching(tmp_path: Path) -> Iterator[Watching]:
    one = Watching(tmp_path)
    try:
        yield one
    finally:
        one.process.kill()
        one.process.wait()


def test_a_line_for_each_save(watching: Watching) -> None:
    assert re.fullmatch(r"doubler: pass, 1 tests, [\d,]+ events", watching.next())
    # nothing of this block
    write(watching.root, "models/other.py", "x = 1\n")
    model, rtl, sequence = (
        *("models/doubler/__init__.py", "rtl/doubler/doubler.sv", "sequences/doubler/__init__.py"),
    )
    wrong = watching.save(model, "<< 1", "<< 2")
    assert wrong.startswith(f"{model}: FAIL random: "), wrong
    assert "tilepath check " in wrong and "word" in wrong  # the stored run, not simulated again
    assert watching.save(model, "<< 2", "<< 1").startswith(f"{model}: pass, 1 tests, ")
    wrong = watching.save(rtl, "endmodule", "endmodul")
    assert wrong.startswith(f"{rtl}: FAIL: ") and " | endmodul" in wrong, wrong
    assert watching.save(rtl, "endmodul", "endmodule").startswith(f"{rtl}: pass, 1 tests, ")
    wrong = watching.save(sequence, "TESTS", "TEST S")
    assert re.fullmatch(rf"{sequence}: FAIL: {sequence}:\d+: SyntaxError: .+", wrong), wrong
    assert watching.save(sequence, "TEST S", "TESTS").startswith(f"{sequence}: pass, 1 tests, ")
    watching.process.send_signal(signal.SIGINT)
    assert watching.process.wait(20) == 0
    assert len(watching.log.read_text()[watching._read :]) == 0


def test_a_compiler_s_message_gets_the_line_of_source(tmp_path: Path) -> None:
    write(tmp_path, "rtl/a.sv", "module a;\nassign y = ;\nendmodule\n")
    icarus = "rtl/a.sv:2: syntax error\nrtl/a.sv:2: error: here\nrtl/b.sv:1: error\nrtl/a.sv:9: x"
    first, source, *rest = with_sources(icarus, tmp_path).splitlines()
    assert (first, source) == ("rtl/a.sv:2: syntax error", "    2 | assign y = ;")
    assert rest == icarus.splitlines()[1:]
    shown = "%Error: rtl/a.sv:2:12: syntax error\n    2 | assign y = ;\n      |            ^"
    assert with_sources(shown, tmp_path) == shown


def test_without_watchfiles(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "watchfiles", None)
    refused(invoke("watch", "--block", "adc"), "pip install 'tilepath[watch]'")
