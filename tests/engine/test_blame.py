# SPDX-License-Identifier: Apache-2.0
"""What ended a run is told: by whom it was stopped, or where the Python error is."""

from __future__ import annotations

import json
import signal
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tilepath.engine.compiled.jit import compiled, part
from tilepath.engine.compiled.records import for_compiled, record
from tilepath.engine.description.blame import told
from tilepath.engine.description.boundary import Field
from tilepath.engine.host.launch import Ended, ended
from tilepath.engine.host.request import RunRequest
from tilepath.engine.host.verdict import judge
from tilepath.engine.simulation.test import _die_of_signals
from tilepath.tests.commands import python

_HELP = "** VVP Stop(0) **\n** Type 'help' for help. Error: none. **\n"


def message(tmp_path: Path, end: Ended, log: str = _HELP, **outcome: object) -> str:
    """What a run is told to be that ended so and left this."""
    request = RunRequest("fifo", "random", 1, "icarus", out_dir=tmp_path)
    request.run_dir.mkdir(parents=True)
    (request.run_dir / "sim.log").write_text(log)
    if outcome:
        path = request.run_dir / "outcome.json"
        path.write_text(json.dumps({"pid": end.pid, "message": "", **outcome}))
    result = judge(request, end, 1.0)
    assert result.status == "error"
    return result.message


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT, 40])
@pytest.mark.parametrize("outcome", [{}, {"status": "pass"}])
def test_who_was_killed_is_told_so(tmp_path: Path, number: int, outcome: dict[str, object]) -> None:
    name = signal.Signals(number).name if number < 32 else "signal 40"
    text = message(tmp_path, ended(7, -number), **outcome)
    assert text.startswith(f"the simulator was killed ({name})")
    assert text.endswith("(see sim.log)") and "help" not in text


def test_who_took_too_long_is_told_so(tmp_path: Path) -> None:
    text = message(tmp_path, Ended(7, "no end after 3 s", from_outside=True))
    assert text == "no end after 3 s (see sim.log)"


@pytest.mark.parametrize(
    ("ended", "start"),
    [
        (ended(7, -signal.SIGABRT), "the simulator crashed (SIGABRT): "),
        (ended(7, -signal.SIGSEGV), "the simulator crashed (SIGSEGV): "),
        (ended(7, 3), "the simulator ended with status 3: "),
        (ended(7, 0), "no outcome: "),
    ],
)
def test_of_an_end_of_its_own_the_log_may_tell_more(
    tmp_path: Path, ended: Ended, start: str
) -> None:
    text = message(tmp_path, ended, "x\ntp_recorder: no\nhelp\n")
    assert text == f"{start}tp_recorder: no (see sim.log)"


def test_in_a_simulator_a_signal_is_the_end() -> None:
    script = "import signal\n"
    script += "for s in (2, 15, 1): signal.signal(s, lambda *_: None)\n"
    script += f"from {_die_of_signals.__module__} import _die_of_signals as die; die()\n"
    script += "signal.raise_signal(signal.SIGTERM)"
    done = python("-c", script)
    assert done.returncode == -signal.SIGTERM, done.stderr


# -- Python errors


def caught(path: Path, code: str) -> str:
    path.write_text(code)
    try:
        exec(compile(code, str(path), "exec"), {"Field": Field, "np": np})
    except Exception as error:
        return told(error)
    raise AssertionError("nothing was raised")


def test_the_authors_line_is_named(tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    assert caught(path, "x = 1\ny = x + z\n") == (f"{path}:2: NameError: name 'z' is not defined")
    # not the line of whom it calls: a library's, or one of the engine's
    assert caught(path, "\n\nField('a', count=0)\n").startswith(f"{path}:3: ")
    assert caught(path, "\nnp.zeros(3).reshape(2, 2)\n").startswith(f"{path}:2: ValueError: ")


def test_a_syntax_error_has_its_own_place(tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    assert caught(path, "x = 1\nif x\n") == f"{path}:2: SyntaxError: expected ':'"


def test_what_names_its_place_stays_as_it_is() -> None:
    assert told(ValueError("programs/a.tt:7: no such thing")) == "programs/a.tt:7: no such thing"


def test_one_line_whatever_it_says(tmp_path: Path) -> None:
    text = caught(tmp_path / "mine.py", "raise RuntimeError('first\\nsecond')")
    assert text == f"{tmp_path / 'mine.py'}:1: RuntimeError: first second"


def test_without_a_place_the_kind_is_told() -> None:
    assert told(KeyError("planted")) == "KeyError: 'planted'"
    assert told(StopIteration()) == "StopIteration"


def test_a_compiled_library_is_not_to_blame() -> None:
    with pytest.raises(ValueError, match="low >= high") as caught:
        np.random.default_rng(1).integers(5, 1)
    assert any(str(entry.path).endswith(".pyx") for entry in caught.traceback)
    assert told(caught.value).startswith("tests/engine/test_blame.py:")


@part
def _write(row: Any) -> None:
    row.nonesuch = 1


@compiled
def _write_first(rows: Any) -> None:
    _write(rows[0])


def test_a_field_that_a_record_does_not_have_is_named_where_it_is_used() -> None:
    with pytest.raises(KeyError) as caught:
        _write_first(for_compiled(np.zeros(1, record(cycle=np.int64))))
    line = _write.py_func.__code__.co_firstlineno + 2  # type: ignore[attr-defined]
    assert told(caught.value) == f"tests/engine/test_blame.py:{line}: KeyError: 'nonesuch'"
