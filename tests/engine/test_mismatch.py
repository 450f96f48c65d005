# SPDX-License-Identifier: Apache-2.0
"""What a run is told to have failed of: the text of a mismatch, a signal, a line of Python."""

from __future__ import annotations

import json
import signal
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tilepath.engine.checking.edit import WINDOW
from tilepath.engine.checking.mismatch import Mismatch, MismatchError
from tilepath.engine.compiled.jit import compiled, part
from tilepath.engine.compiled.records import for_compiled, record
from tilepath.engine.description.blame import told
from tilepath.engine.description.stream import Field, Stream
from tilepath.engine.host.launch import Ended, ended
from tilepath.engine.host.request import RunRequest
from tilepath.engine.host.verdict import judge
from tilepath.engine.simulation.test import _die_of_signals
from tilepath.tests.commands import python
from tilepath.tests.engine.fakes import explain, fake_block, records

WIDE = (0xBEEF, 0xDEAD, 0x3F)
Rows = list[tuple[Any, ...]]


def make(stream: str | Stream, expected: Rows, actual: Rows, **more: Any) -> Mismatch:
    """A mismatch of a stream of the fake block, or of one of its own; ``before``: rows, too."""
    block = replace(fake_block(), explain=more.pop("explain", explain))
    name = stream if isinstance(stream, str) else stream.name
    if isinstance(stream, Stream):
        block = replace(block, streams=(stream,))
    sides = (records(stream, rows) for rows in (expected, actual, more.pop("before", ())))
    return Mismatch(block, name, 12, 345, *sides, **{"cause": None, "others": [], **more})


def test_whole_report() -> None:
    found = make(
        "got",
        [(345, 0x12345678, WIDE), (350, 2, WIDE)],
        [(345, 7, WIDE)],
        before=[(340, 1, WIDE), (341, 10, WIDE)],
        cause=("put", 3, records("put", [(333, 0x2000000)])),
        others=[("t0.tick", 346), ("state", 350)],
    )
    wide = "0x0000003f0000dead0000beef"
    assert found.report().splitlines() == [
        "MISMATCH got event 12, cycle 345: word differs",
        "",
        f"  {'field':<14}{'expected (model)':<44}observed (RTL)",
        f"  {'cycle':<14}{'345':<44}345",
        f"  {'word':<14}{'0x12345678':<44}0x00000007   <--",
        "",
        "  the last events of got on which both agree:",
        f"    cycle 340  word 0x00000001  wide {wide}",
        f"    cycle 341  word 0x0000000a  wide {wide}",
        "  from here on the model expects:",
        f"    cycle 345  word 0x12345678  wide {wide}",
        f"    cycle 350  word 0x00000002  wide {wide}",
        "  from here on the RTL has:",
        f"    cycle 345  word 0x00000007  wide {wide}",
        "",
        "  caused by: put event 3: cycle 333  word 0x02000000",
        "  then also different: t0.tick (cycle 346), state (cycle 350)",
    ]


def test_signatures_are_without_numbers_and_causes() -> None:
    one, other = [(345, 1, WIDE)], [(345, 7, WIDE)]
    put = records("put", [(333, 0x2000000)])
    counters = Stream("one", "output", fields=(Field("x", alike="counter"),), alike="target")
    for found, signature in (
        (make("got", one, other), "got word differs"),
        (make("got", one, other, cause=("put", 3, put)), "got word differs"),
        (make("got", one, [(346, *one[0][1:])]), "got late"),
        (make("got", one, [(344, *one[0][1:])]), "got early"),
        (make("got", one, []), "got missing"),
        (make("t0.tick", [], [(5, 1)]), "tick extra"),
        # a level is wrong, whether it changes or should
        (make("state", [(345, 1)], [(345, 2)]), "state value differs"),
        (make("state", [(345, 1)], []), "state value differs"),
        (make("state", [], [(345, 1)]), "state value differs"),
        (make("state", [(345, 1)], [(347, 1)]), "state late"),
        (make("state", [(345, 0)], []), "state missing"),  # which changes nothing
        (make(counters, [(345, 1)], [(345, 2)]), "target counter differs"),
    ):
        assert found.signature() == signature


def test_values_are_explained() -> None:
    found = make("state", [(345, 1)], [(345, 3)])
    text, error = found.report(), MismatchError(found)
    assert isinstance(error, AssertionError)
    assert str(error) == found.headline() == "state event 12, cycle 345: value differs"
    assert f"MISMATCH {error}\n" in text
    assert f"  {'value':<14}{'0x1 (BUSY)':<44}0x3   <--\n" in text
    assert "    cycle 345  value 0x1 (BUSY)\n" in text


def test_what_is_late_or_early() -> None:
    text = make("t0.tick", [(345,)], [(346,)]).report()
    assert "MISMATCH t0.tick event 12, cycle 345: 1 cycle late\n" in text
    assert "_pad" not in text and "    cycle 346\n" in text.replace("  \n", "\n")
    text = make("state", [(347, 1), (350, 0)], [(345, 1), (350, 0)]).report()
    assert "MISMATCH state event 12, cycle 345: 2 cycles early\n" in text
    assert f"  {'cycle':<14}{'347':<44}345   <--\n" in text and "\n  value " not in text


def test_missing_and_extra_events() -> None:
    text = make("fault", [(345, 1, 1, 0)], []).report()
    assert "cycle 345: missing: the model expects an event, the RTL has none\n" in text
    assert f"  {'thread':<14}{'0x1':<44}–\n" in text and "<--" not in text
    text = make("fault", [], [(345, 1, 1, 0), (346, 1, 1, 0)]).report()
    assert "cycle 345: extra: the RTL has 2 events that the model does not expect\n" in text
    assert "  from here on the model expects:\n    no event\n" in text
    many = make("fault", [(345 + n, 1, 1, 0) for n in range(WINDOW)], []).headline()
    assert "the model expects 16 events or more, the RTL has none" in many


def test_of_a_level_the_changes_count() -> None:
    """The side without one holds what it had; groups of bits have the name of their field."""
    stream = Stream("both", "output", "level", (Field("a", bits=(("low", 1),)), Field("b", 40)))
    before: Rows = [(1, 1, [1, 0]), (2, 1, [2, 0])]
    text = make(stream, [], [(345, 0, [2, 0])], before=before).report()
    assert f"    cycle 1  a 0x1 (low)  b 0x{1:016x}\n    cycle 2  b 0x{2:016x}\n" in text
    assert "RTL has:\n    cycle 345  a 0x0\n" in text
    for name, row in (("  cycle", "345"), ("  a", "0x1 (low)"), ("    a.low", "0x1")):
        assert f"\n{name:<16}{row:<44}{'345' if row == '345' else '0x0   <--'}\n" in text
    text = make("state", [(345, 1)], []).report()
    assert f"  {'value':<14}{'0x1 (BUSY)':<44}0x0 (IDLE)   <--\n" in text


def test_words_of_an_array_that_differ() -> None:
    stream = Stream("rows", "output", fields=(Field("data", 512),))
    rows: Rows = [(345, [0] * 5 + [3] * 11)]
    text = make(
        *(stream, [(345,)], rows),
        explain=lambda _stream, field, value: f"{field} is {value}" * (value == 3),
    ).report()
    assert "MISMATCH rows event 12, cycle 345: data differs\n" in text
    assert "  data          16 words, 11 differ\n" in text
    assert f"  {'data[5]':<14}{'0x00000000':<44}0x00000003 (data[5] is 3)   <--\n" in text
    assert "data[12] " in text and "data[13] " not in text and "data[4] " not in text
    assert "    cycle 345  data [0x0 x5, 0x3 x11]\n" in text
    text = make(stream, [(345,)], []).report()
    assert f"  {'data':<14}{'[0x0 x16]':<44}–\n" in text


def test_what_is_long_keeps_a_gap_behind_it() -> None:
    stream = Stream("rows", "output", fields=(Field("fourteen_chars"), Field("b", 256)))
    text = make(stream, [(345,)], [(345, 1, [1] * 8)]).report()
    assert f"  fourteen_chars  {'0x0':<68}0x1   <--\n" in text
    assert f"  {'b':<16}0x{0:064x}  0x{'00000001' * 8}   <--\n" in text


def test_what_is_not_known_or_not_shown_is_said() -> None:
    text = make("state", [(345, 0)], []).report()
    assert "both agree:\n    no event\n" in text
    assert "caused by: not known (the model names no input for this event)\n" in text
    assert "also different" not in text
    others = [(f"s{n}", 400 + n) for n in range(8)]
    text = make("state", [(345, 0)], [], others=others).report()
    assert text.endswith("s4 (cycle 404), s5 (cycle 405), 2 more\n")
    text = make("state", [(345, 0)], [], cause=("put", 9, records("put"))).report()
    assert "caused by: put event 9, offered more than a few blocks of cycles ago\n" in text
    text = make("state", [], [(345, 0)]).report()
    assert "caused by: not known (the model expects no such event)\n" in text


# -- what ended a run: by whom it was stopped, or where the Python error is


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


@pytest.mark.parametrize(
    ("code", "says"),
    [
        ("x = 1\ny = x + z\n", ":2: NameError: name 'z' is not defined"),
        # not the line of whom it calls: a library's, or one of the engine's
        ("\n\nField('a', count=0)\n", ":3: ValueError: field a: "),
        ("\nnp.zeros(3).reshape(2, 2)\n", ":2: ValueError: cannot reshape"),
        ("x = 1\nif x\n", ":2: SyntaxError: expected ':'"),
        ("raise RuntimeError('first\\nsecond')", ":1: RuntimeError: first second"),
    ],
)
def test_the_authors_line_is_named_in_one_line(tmp_path: Path, code: str, says: str) -> None:
    path = tmp_path / "mine.py"
    text = caught(path, code)
    assert text.startswith(f"{path}{says}") and "\n" not in text


def test_without_a_place_the_kind_is_told() -> None:
    """What names its place stays as it is."""
    assert told(KeyError("planted")) == "KeyError: 'planted'"
    assert told(StopIteration()) == "StopIteration"
    assert told(ValueError("programs/a.tt:7: no such thing")) == "programs/a.tt:7: no such thing"


def test_a_compiled_library_is_not_to_blame() -> None:
    with pytest.raises(ValueError, match="low >= high") as caught:
        np.random.default_rng(1).integers(5, 1)
    assert any(str(entry.path).endswith(".pyx") for entry in caught.traceback)
    assert told(caught.value).startswith("tests/engine/test_mismatch.py:")


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
    assert told(caught.value) == f"tests/engine/test_mismatch.py:{line}: KeyError: 'nonesuch'"
