# SPDX-License-Identifier: Apache-2.0
"""Unpackers that stand still for ever say why: the model, of each way; the bench, of its items."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

import pytest

from tilepath.engine.host.run import RunRequest, run
from tilepath.sequences.unpack import TESTS
from tilepath.tests.cosim_runs import FAST, loading
from tilepath.tests.unpack import stands_cosim

_A, _B = (f"write stage waits for Src{file} bank 0, which is the Matrix Unit's" for file in "AB")
_ROOM: Final = "fetch stage waits for room, all 40 entries of the buffer are in use"

REASONS: Final[dict[str, tuple[str, ...]]] = {
    "stands_step_a": (_A,),
    "stands_step_b": (_B,),
    "stands_step_dst": (_A,),
    "stands_zero_own": (_B,),
    "stands_zero_pointer": (_A,),
    "stands_room": (_A, _ROOM),
    "stands_token": (_A, _ROOM),
    "stands_bounded": (_A, "fetch stage waits until no entry of the buffer is in use, of 1"),
    "stands_queue": (
        _A, _ROOM, "place 0 of the queue, waits for the fetch stage",
        *(f"place {place} of the queue" for place in range(1, 16)),
        "takes no word, its queue is full",
    ),
    "stands_command": (),
    "stands_row": (),
    "stands_condition": (),
}  # fmt: skip
"""What the model says of each instruction, the oldest first."""

ITEMS: Final = {
    "stands_queue": r"t1\.issue: item 1 is offered to the DUT: word 1107296257 \(UNPACR 0, .*\)",
    "stands_command": r"matrix: item 0 is offered to the DUT: banks 1, release 1, wait 1 \(until "
    r"the Matrix Unit has its bank of SrcA\)",
    "stands_row": r"matrix_write: item 0 is offered to the DUT: target 1, bank 1, row 3, wait 1",
    "stands_condition": r"t2\.issue: item 0 waits until 3 items of matrix are done: 1 are",
    "stands_step_b": r"matrix: item 1 waits until busy & 0x3f is 0, or is offered to the DUT: all",
}
"""What the bench says of items that are not done."""


def test_every_one_is_run() -> None:
    assert REASONS.keys() == stands_cosim.STANDS.keys() >= ITEMS.keys()
    assert not REASONS.keys() & TESTS.keys()


@pytest.mark.parametrize("test", REASONS)
def test_what_stands_says_why(test: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(TESTS, test, stands_cosim.STANDS[test])
    request = RunRequest(
        "unpack", test, 1, FAST, coverage=False, block_cycles=256, out_dir=tmp_path
    )
    with loading(stands_cosim.__name__):
        result = run(request)
    assert result.status == "fail" and result.report is not None
    kind, reasons, items = result.report.read_text().split("\n\n")[:3]
    assert kind.startswith("STUCK nothing happened for 16 blocks of cycles")
    lines = reasons.splitlines()
    if REASONS[test]:
        assert len(lines) == len(REASONS[test])
        assert all(map(str.endswith, lines, REASONS[test]))
    else:
        assert lines == ["  nothing waits in the DUT, by the model"]
    if test in ITEMS:
        assert re.search(ITEMS[test], items)
