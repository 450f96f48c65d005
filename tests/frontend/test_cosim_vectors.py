# SPDX-License-Identifier: Apache-2.0
"""The worked vectors V1 to V10 against the RTL: the words issued are those written down here.

The model plays no part in what is expected, only in that the runs must pass as well.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest

from tilepath.sequences.frontend.directed.vectors import VECTORS
from tilepath.tb.kernel.host.run import RunRequest
from tilepath.tests.cosim_runs import EACH_SIMULATOR, between, recorded, simulate

N: Final = 0x02000000
MVMULS: Final = [
    *(0x26000000, 0x26004000, 0x26000000, 0x26008000, 0x26000000, 0x26004000, 0x26000000),
    *(0x26010000, 0x26000000, 0x26004000, 0x26000000, 0x26008000, 0x26000000, 0x26004000),
    *(0x26000000, 0x26014000),
]
CONTEXT0: Final = [0x428000C1, 0xB10C007C, 0x5800C312, 0xA2400001, 0xB00C007C, N]
CONTEXT1: Final = [0x428000C1, 0xB10C007D, 0x5800C312, 0xA2400001, 0xB00C007D, N]
ROW: Final = [0x41000000] * 3
INNER: Final = [0x7000000A, 0x7000000B] * 2 + [0x7000000A]
ENDS: Final = [0x500000E0, 0x500000E1]
SFPU: Final = [0x7000E000, 0x85009000, 0x7200E000, 0x38008000]
USED: Final = [0x420000A0, 0x420000A1, 0x420000A2, 0x420000A3, 0x428000B0]
SKIPPED: Final = [0x550000F0, 0x550000FB]
ITERATIONS: Final = "UUKUKKUUUKUUKUUUKUKKUUKKKKUKUKUKUUU"
STORED: Final = [0x04000000 | 1 << 17 | 2 << 4]  # a REPLAY taken as data: index 8, count 2


def upwards(first: int, last: int) -> list[int]:
    """All words from ``first`` to ``last``."""
    return list(range(first, last + 1))


LAP: Final = upwards(0x70000000, 0x7000001F)

ISSUED: Final[dict[str, list[int]]] = {
    "V1a": [*MVMULS * 4, 0x2640C000],
    "V1b": [*MVMULS * 4, 0x3740000F],
    "V2 zmask 0": CONTEXT0 * 4,
    "V2 zmask FF": CONTEXT1 * 4,
    "V3": [0x420080C1, 0x428080C1] * 4,
    "V4 17.1": [*ROW, 0x41008001],
    "V4 17.2": [*[*ROW, 0x41010000] * 3, *ROW, 0x41008001],
    "V5 bug": [0x60000000] * 129,
    "V5 bug, both ends": [0x60000000, 0x8F000000] * 129,
    "V5 outer 2": [0x60000000] * 2,
    "V5 StartOp": [0x60000000] * 2,
    "V5 EndOp0 NOP": [],
    "V6": [0x500000A0, *INNER, 0x700000F1, *ENDS, 0x500000A0, *INNER, 0x700000F0, *ENDS],
    "V6b": [N, 0x7000000B, N, 0x700000F0],
    "V7": [word for c in ITERATIONS for word in (USED if c == "U" else SKIPPED)],
    "V7b": [*[0x420000A0] * 17, 0x550000F0, 0x420000A0],
    "V8a": upwards(0x70000012, 0x70000017),
    "V8b": [*LAP[5:], *LAP, *LAP[:5]],
    "V8c": [*upwards(0x71000000, 0x7100003F), *upwards(0x71000020, 0x71000023)],
    "V8d": [*LAP[0x14:], *LAP, *LAP[:0x13]],
    "V9a": [0x70000001, *STORED, 0x70000002] * 2,
    "V9b": [
        *(0x500000E0, 0x70000099),
        *(0x7000000A, 0x700000F1, 0x500000E0, 0x7000000A, 0x700000F0),
    ],
    "V9c": [0x04040020] * 2,
    "V10": SFPU * 32,
    "V10 seed": [*SFPU, 0x8F000000] * 7,
}
# In this profile a count of 0 stands for 32: one lap is played, and one recorded.
ISSUED_BLACKHOLE: Final = ISSUED | {
    "V8b": [*LAP[5:], *LAP[:5]],
    "V8c": [*upwards(0x71000000, 0x7100003F), *upwards(0x71000000, 0x71000003)],
}
LENGTHS: Final = {
    **{"V1a": 65, "V1b": 65, "V2 zmask 0": 24, "V2 zmask FF": 24, "V4 17.2": 16, "V7": 130},
    **{"V8b": 64, "V8c": 68, "V8d": 63, "V10": 128, "V10 seed": 35},
}


def test_table_has_every_vector_and_its_length() -> None:
    assert list(ISSUED) == [case.name for case in VECTORS.cases]
    assert {name: len(ISSUED[name]) for name in LENGTHS} == LENGTHS
    assert STORED == [0x04020020] and ITERATIONS.count("U") == 20


@pytest.mark.parametrize("profile", ["baseline", "blackhole"])
@pytest.mark.parametrize("sim", EACH_SIMULATOR)
def test_rtl_issues_the_words_of_the_vectors(sim: str, profile: str, tmp_path: Path) -> None:
    request = RunRequest("frontend", "vectors", 1, sim, profile, coverage=False, out_dir=tmp_path)
    streams = recorded(simulate(request))
    expected = ISSUED if profile == "baseline" else ISSUED_BLACKHOLE
    wrong = []
    total = 0
    for index, case in enumerate(VECTORS.cases):
        thread, start = VECTORS.place(index)
        issue = between(streams[f"t{thread}.issue"], start, start + VECTORS.length)
        words = issue["word"].tolist()
        # the only illegal words are REPLAYs that come out of the replay buffer or of a MOP there
        illegal = [int(word >> 24 == 4) for word in expected[case.name]]
        fault = between(streams[f"t{thread}.fault"], start, start + VECTORS.length)
        if words != expected[case.name]:
            text = " ".join(f"{word:08x}" for word in words)
            wrong.append(f"{case.name}: issued {len(words)}: {text}")
        if issue["illegal"].tolist() != illegal or fault["illegal"].tolist() != [1] * sum(illegal):
            wrong.append(f"{case.name}: illegal flags or faults")
        total += len(words)
    assert wrong == []
    # nothing was issued outside the windows
    assert total == sum(len(streams[f"t{thread}.issue"]) for thread in range(3))
