# SPDX-License-Identifier: Apache-2.0
"""The timelines T1 to T4 against the RTL, cycle by cycle, from what is written down here.

A timeline is written as a line of one letter a cycle, from the cycle c1 after that of the first
push on (c0): ``.`` is a cycle in which nothing is written or issued.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pytest

from tilepath.sequences.frontend.directed.vectors import FIRST, TIMELINES
from tilepath.tb.kernel.description.stream import Records
from tilepath.tb.kernel.host.run import RunRequest
from tilepath.tests.cosim_runs import EACH_SIMULATOR, between, recorded, simulate, values

WORDS: Final = {
    **{"P": 0x26000000, "Q": 0x26000001},
    **{"A": 0x26000002, "B": 0x26000003, "C": 0x26000004, "D": 0x26000005},
    **{"L": 0x27000000, "S": 0x28000000},  # the two words of the MOP
    **{"m": 0x01800000, "h": 0x03001234},  # MOP, MOP_CFG
    **{"r": 0x04000041, "x": 0x04000043, "p": 0x04000040},  # record, record and execute, play
    "R": 0x04040100,  # plays slots 16 … 31, which hold the words of the next line
    **{chr(ord("α") + i): 0x26000010 + i for i in range(16)},
}
SLOTS: Final = "".join(chr(ord("α") + i) for i in range(16))
LETTER: Final = {word: letter for letter, word in WORDS.items()}
MOP_STATES: Final = "IET"  # IDLE, EXP, TRANS
REPLAY_STATES: Final = "-PR"  # PASS, PLAY, REC


@dataclass(frozen=True)
class Timeline:
    """What is expected from c1 on; the states until they stay as they are at the line's end.

    ``mop_busy`` and ``replay_busy``: the cycles in which the condition of qstatus bits 1 and 0
    holds; the register shows it a cycle later.
    """

    mq: str
    rq: str
    issue: str
    ingest: str = ""
    mop: str = "I"
    replay: str = "-"
    mop_busy: tuple[int, ...] = ()
    replay_busy: tuple[int, ...] = ()


EIGHT: Final = "PPPPPPPP"
STALLED: Final = "." * 29  # c1 … c29, the issue port opens in c30
EXPECTED: Final[dict[str, Timeline]] = {
    "T1": Timeline("ABC", ".ABC", "..ABC"),
    "T2": Timeline("PLS.Q", ".PLS.Q", "..PLS.Q", ".m", "IIETI", mop_busy=(2, 3)),
    "T2 MOP MOP": Timeline(
        *("PLSLS.Q", ".PLSLS.Q", "..PLSLS.Q", ".m.m", "IIETETI"),
        mop_busy=(2, 3, 4, 5),
    ),
    "T2 MOP MOP_CFG MOP": Timeline(
        *("PLS..LS.Q", ".PLS..LS.Q", "..PLS..LS.Q", ".m..hm", "IIETIIETI"),
        mop_busy=(2, 3, 4, 5, 6, 7),
    ),
    "T2 zero length": Timeline("P..Q", ".P..Q", "..P..Q", ".m", "IITI", mop_busy=(2,)),
    "T2 three of zero length": Timeline(
        *("P....Q", ".P....Q", "..P....Q", ".mmm", "IITTTI"),
        mop_busy=(2, 3, 4),
    ),
    "T2 word in TRANS": Timeline("PLS.Q", ".PLS.Q", "..PLS.Q", ".m", "IIETI", mop_busy=(2, 3)),
    "T2 MOP in TRANS": Timeline(
        *("PLSLS", ".PLSLS", "..PLSLS", ".m.m", "IIETETI"),
        mop_busy=(2, 3, 4, 5),
    ),
    "T2 word behind TRANS": Timeline("PLS.Q", ".PLS.Q", "..PLS.Q", ".m", "IIETI", mop_busy=(2, 3)),
    "T2 MOP behind TRANS": Timeline(
        *("PLS.LS", ".PLS.LS", "..PLS.LS", ".m..m", "IIETIETI"),
        mop_busy=(2, 3, 5, 6),
    ),
    "T2 word late": Timeline("PLS..Q", ".PLS..Q", "..PLS..Q", ".m", "IIETI", mop_busy=(2, 3)),
    # M is full when the expansion ends; TRANS goes by all the same, and Q waits for room in IDLE
    "T2 stalled TRANS": Timeline(
        f"{EIGHT}LS{STALLED[10:]}..Q",
        f".PP{STALLED[3:]}.PPPPPPLSQ",
        f"{STALLED}{EIGHT}LSQ",
        f"{'.' * 8}m",
        "IIIIIIIIIETI",
        mop_busy=(9, 10),
    ),
    # the MOP waits for room in M; the words that stand before it there hide the cycle of TRANS
    "T2 stalled MOP": Timeline(
        f"{EIGHT}PP{STALLED[10:]}..LS.Q",
        f".PP{STALLED[3:]}.PPPPPPPPLSQ",
        f"{STALLED}{EIGHT}PPLSQ",
        f"{'.' * 31}m",
        f"{'I' * 32}ETI",
        mop_busy=tuple(range(11, 34)),
    ),
    "T3": Timeline(
        *("rABCDpQ", "......ABCDQ", ".......ABCDQ"),
        replay="--RRRR-PPP-",
        replay_busy=(6, 7, 8, 9, 10),
    ),
    "T3 exec": Timeline(
        *("xABCDpQ", "..ABCDABCDQ", "...ABCDABCDQ"),
        replay="--RRRR-PPP-",
        replay_busy=(1, 2, 3, 4, 5, 6, 7, 8, 9, 10),
    ),
    "T4": Timeline(
        *("PRR.Q", f".P{SLOTS}{SLOTS}Q", f"..P{SLOTS}{SLOTS}Q", ".m", "IIETI"),
        replay=f"---{'P' * 15}-{'P' * 15}-",
        mop_busy=(2, 3),
        # the first REPLAY is in M from c3 on, the last word is played in c34
        replay_busy=tuple(range(3, 35)),
    ),
}


def line(records: Records, c0: int) -> str:
    """Words as letters, from c1 on; the stream must be silent in c0."""
    letters = {int(cycle) - c0: LETTER[int(word)] for cycle, word in records[["cycle", "word"]]}
    return "".join(letters.get(c, ".") for c in range(1, max(letters, default=0) + 1))


def states(records: Records, field: str, letters: str, c0: int, count: int) -> str:
    found = values(records, field, range(c0 + 1, c0 + 1 + count))
    return "".join(letters[value] for value in found)


def busy(records: Records, bit: int, c0: int) -> tuple[int, ...]:
    """Cycles from c0 on in whose following cycle qstatus has ``bit``."""
    length = TIMELINES.length - FIRST - 1
    shown = values(records, "value", range(c0 + 1, c0 + 1 + length))
    return tuple(c for c, value in enumerate(shown) if value >> bit & 1)


def observed(streams: dict[str, Records], thread: int, start: int, want: Timeline) -> Timeline:
    """The timeline recorded in the window that begins in cycle ``start``."""
    c0 = start + FIRST
    end = start + TIMELINES.length
    events = {
        name: line(between(streams[f"t{thread}.{name}"], c0, end), c0)
        for name in ("mq", "rq", "issue", "ingest")
    }
    status, qstatus = streams[f"t{thread}.status"], streams[f"t{thread}.qstatus"]
    rest = end - c0 - 1
    return Timeline(
        **events,
        mop=states(status, "mop_state", MOP_STATES, c0, rest).rstrip("I") + "I",
        replay=states(status, "replay_state", REPLAY_STATES, c0, rest).rstrip("-") + "-",
        mop_busy=busy(qstatus, 1, c0),
        replay_busy=busy(qstatus, 0, c0),
    )


def test_table_has_every_timeline() -> None:
    assert list(EXPECTED) == [case.name for case in TIMELINES.cases]
    assert len(LETTER) == len(WORDS)


@pytest.mark.parametrize("profile", ["baseline", "blackhole"])
@pytest.mark.parametrize("sim", EACH_SIMULATOR)
def test_rtl_keeps_the_timelines(sim: str, profile: str, tmp_path: Path) -> None:
    request = RunRequest("frontend", "timelines", 1, sim, profile, coverage=False, out_dir=tmp_path)
    streams = recorded(simulate(request))
    wrong = []
    for index, case in enumerate(TIMELINES.cases):
        thread, start = TIMELINES.place(index)
        accept = between(streams[f"t{thread}.accept"], start + FIRST, start + TIMELINES.length)
        offset = accept["cycle"].astype(int) - (start + FIRST)
        assert offset.tolist() == list(case.at or range(len(case.words))), case.name
        want = EXPECTED[case.name]
        seen = observed(streams, thread, start, want)
        wrong += [
            f"{case.name}, {name}: {getattr(seen, name)}, not {value}"
            for name, value in vars(want).items()
            if getattr(seen, name) != value
        ]
        fault = between(streams[f"t{thread}.fault"], start, start + TIMELINES.length)
        assert len(fault) == 0, case.name
    assert wrong == []
