# SPDX-License-Identifier: Apache-2.0
"""A run in which threads wait for what nobody does ends, and says which ones, and for what."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest

from tilepath.sequences.control import TESTS
from tilepath.sequences.control.deadlock import DEADLOCKS
from tilepath.tb.kernel.host.run import RunRequest, run
from tilepath.tests.control import deadlock_cosim
from tilepath.tests.cosim_runs import EACH_SIMULATOR, loading

BLOCK_CYCLES: Final = 256
PATIENCE: Final = 16  # blocks of cycles without an event

WAITING: Final[dict[str, tuple[str, ...]]] = {
    "deadlock_semaphore": (
        "thread 1: MOVD2A 0, 0, 0, 0, 0 (08000000): SEMWAIT, block 040 (MATH): "
        "waits while semaphore 2 (UNPACK_TO_DEST) is 0; value 0, max 2",
    ),
    "deadlock_maximum": (
        "thread 2: NOP (02000000): "
        "SEMWAIT, block 1FF (TDMA SYNC PACK UNPACK XMOV THCON MATH CFG SFPU): "
        "waits while semaphore 7 (MATH_DONE) is at its maximum; value 0, max 0",
    ),
    "deadlock_stream": (
        "thread 0: UNPACR 0, 0, 0, 0, 0, 0, 1, 0, 0, 1, 1, 0, 0 (4200004C): "
        "STREAMWAIT, block 008 (UNPACK): stream 17 message count 41 < target 42",
    ),
    "deadlock_mutex": (
        "thread 1: ATGETM 2 (A0000002): mutex 2 held by thread 0",
        "thread 2: ATGETM 3 (A0000003): mutex 3 held by thread 1",
    ),
    "deadlock_circle": (
        "thread 0: ATGETM 4 (A0000004): mutex 4 held by thread 1",
        "thread 1: ATGETM 0 (A0000000): mutex 0 held by thread 0",
    ),
    "deadlock_unit": ("thread 2: .word 0x41000045 (41000045): unit PACK not ready",),
    "deadlock_condition": (
        "thread 0: UNPACR 1, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 0, 0 (4280007C): "
        "STALLWAIT, block 008 (UNPACK): waits while SRCA_UNPACK_BANK busy",
    ),
    "deadlock_bank": (
        "thread 0: MVMUL 0, 0, 0, 0 (26000000): waits for the Matrix Unit's bank of SrcA, which is "
        "the unpackers'; waits for the Matrix Unit's bank of SrcB, which is the unpackers'",
        "thread 1: MOVB2D 0, 0, 0, 0, 0 (13000000): waits for the Matrix Unit's bank of SrcB, "
        "which is the unpackers'",
    ),
    "deadlock_hold": (
        "thread 1: NOP (02000000): hold: an unpacker's instruction of thread 1 is in its address "
        "phase",
    ),
    "deadlock_threads": (
        "thread 1: MOVD2A 0, 0, 0, 0, 0 (08000000): SEMWAIT, block 040 (MATH): "
        "waits while semaphore 2 (UNPACK_TO_DEST) is 0; value 0, max 2",
        "thread 2: ATGETM 2 (A0000002): mutex 2 held by thread 0",
    ),
}
"""Deadlock → a line for each thread that waits."""


def test_every_deadlock_is_run() -> None:
    assert WAITING.keys() == DEADLOCKS.keys()
    assert not DEADLOCKS.keys() & TESTS.keys()


@pytest.mark.parametrize("sim", EACH_SIMULATOR)
@pytest.mark.parametrize("test", WAITING)
def test_deadlock(test: str, sim: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(TESTS, test, DEADLOCKS[test])
    request = RunRequest(
        block="control",
        test=test,
        seed=1,
        sim=sim,
        coverage=False,
        block_cycles=BLOCK_CYCLES,
        out_dir=tmp_path,
    )
    with loading(deadlock_cosim.__name__):
        result = run(request)
    assert result.status == "fail" and result.report is not None

    headline, *waiting = result.message.split("; thread ")
    begin = f"nothing happened for {PATIENCE} blocks of cycles before cycle {result.cycles}; "
    assert headline.startswith(begin + "players that wait: ")
    assert tuple(f"thread {line}" for line in waiting) == WAITING[test]
    for line in WAITING[test]:
        assert f"t{line[len('thread ')]}.issue" in headline

    lines = "".join(f"  {line}\n" for line in WAITING[test])
    assert result.report.read_text().startswith(f"STUCK {headline}\n\n{lines}\n")
    # it ends soon after the last thing that happened
    assert result.cycles <= (PATIENCE + 4) * BLOCK_CYCLES
