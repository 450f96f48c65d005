# SPDX-License-Identifier: Apache-2.0
"""The default regression catches every deliberate bug of the blocks.

Most bugs are chosen in one build of Verilator; batches are tests of their own: few, so that what
their bugs share is made seldom, and enough for two cores.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pytest

from tilepath.engine.commands.planted import bug_files, read_bugs
from tilepath.tests.blocks.test_bugs_at_seams import BUGS
from tilepath.tests.cosim_runs import needs_icarus
from tilepath.tests.planted import Catalogue
from tilepath.tests.planted_together import choosable, missed, others, plant_together


@dataclass(frozen=True)
class Row:
    """A block's bugs, and how many there are at least; ``decisions`` that must be broken.

    ``alone``: whether some may need a build of their own, with Icarus.
    """

    bugs: Catalogue
    at_least: int
    decisions: Sequence[str]
    batches: int = 1
    alone: bool = False


def _without(letter: str, last: int, *left_out: int) -> list[str]:
    return [f"{letter}{i}" for i in range(1, last + 1) if i not in left_out]


_LANES: Final = (50, 52, 53, 55, 59, 65)

# ``contract`` is the block's page in docs/ with its sections
ROWS: Final = {
    # A9, A10, A14 and A17 are about what the unpackers make of the counters; A12 is P18
    "adc": Row(
        Catalogue("adc", r"A\d+|P18|C14"), 60,
        [*_without("A", 16, 9, 10, 12, 14), "P18", "C14"], alone=True,
    ),
    # §5.3 and §5.4 are the specification's tables
    "control": Row(
        Catalogue("control", r"C\d+|§5\.[34]|contract [2-8]"), 40,
        [*_without("C", 27), "§5.3", "§5.4", *(f"contract {i}" for i in (2, 3, 4, 5, 6, 8))],
        alone=True,
    ),
    "control, blackhole": Row(Catalogue("control", "C27", "blackhole"), 4, ["C27"]),
    # T4, T14, T16, T17, T22, T26 to T28 and T30 to T32 are about programs, names and parameters;
    # T15 shows on the other platform only
    "flag_pipe": Row(
        Catalogue("flag_pipe", r"T\d+|contract [1-6]"), 60,
        _without("T", 36, 4, 14, 15, 16, 17, 22, 26, 27, 28, 30, 31, 32),
    ),
    "flag_pipe, a2a3": Row(
        Catalogue("flag_pipe", r"T\d+|contract [1-6]", "baseline,platform=a2a3"), 15, ["T15"]
    ),
    # nothing is built of F23
    "frontend": Row(Catalogue("frontend", r"F\d+"), 24, _without("F", 22), alone=True),
    # P41, P45 and P47 are not part of the block; P48 and P67 are programs and parameters; P51 is
    # about a parameter that neither profile sets; some show with several lanes only
    "pack": Row(
        Catalogue("pack", r"P\d+|contract ([2-9]|10)"),
        at_least=120,
        decisions=[*_without("P", 70, 41, 45, 47, 48, 51, 67, *_LANES),
                   *(f"contract {i}" for i in (2, *range(4, 11)))],
        batches=4,
    ),
    "pack, blackhole": Row(
        Catalogue("pack", r"P\d+|contract ([2-9]|10)", "blackhole"), 20, [f"P{i}" for i in _LANES]
    ),
    "pack, wormhole": Row(Catalogue("pack", r"P\d+", "wormhole"), 1, ["P28"]),
    # M1 is a choice of profiles, M3 and M16 say what is not done, M8 is the
    # wait gate's, M12 and M15 are widths, M31 ports; M22, M23 and M29 are forms that no kernel has
    "standin": Row(
        Catalogue("standin", r"M\d+"), 40,
        _without("M", 32, 1, 3, 8, 12, 15, 16, 22, 23, 29, 31),
    ),
    "standin, blackhole": Row(
        Catalogue("standin", r"M\d+", "blackhole"), 20,
        ["M4", "M9", "M24", "M25", "M26", "M27"],
    ),
    "standin, wormhole": Row(
        Catalogue("standin", r"M\d+", "wormhole"), 8, ["M2", "M6", "M20", "M27"]
    ),
    # U1 is a profile's choice; U4, U5, U11 and U34 correct the seed's prose; U67 is not hardware;
    # §5 is the table of rates
    "unpack": Row(
        Catalogue("unpack", r"U\d+|A\d+|M\d+|P52|§5|contract [2-8](\.\d)?"),
        at_least=400,
        decisions=[*_without("U", 68, 1, 4, 5, 11, 34, 67), "A9", "A10", "A11", "A14", "§5",
                   *(f"contract {i}" for i in ("3", "4", "5.1", "5.2", "5.3", "5.5", *"678"))],
        batches=4,
        alone=True,
    ),
    "unpack, blackhole": Row(
        Catalogue("unpack", r"U\d+|A\d+|§1\.2", "blackhole"), 10,
        ["U1", "U33", "U57", "U58", "U69", "§1.2"],
    ),
    "unpack, wormhole": Row(Catalogue("unpack", r"U\d+", "wormhole"), 2, ["U25", "U49"]),
}  # fmt: skip


@pytest.mark.parametrize("name", ROWS)
def test_catalogue(name: str) -> None:
    row = ROWS[name]
    row.bugs.check(row.at_least, row.decisions)
    assert row.alone or others(row.bugs) == []


def test_every_bug_is_in_a_row() -> None:
    kept = {
        (path.parent.name, bug.profile) for path in bug_files() for bug in read_bugs(path).values()
    }
    catalogues = [*(row.bugs for row in ROWS.values()), *BUGS.values()]
    assert kept == {(one.block, one.profile) for one in catalogues}


def test_the_mutations_of_the_flag_pipe_that_matter_most() -> None:
    rows = ROWS["flag_pipe"], ROWS["flag_pipe, a2a3"]
    numbers = {name[:3] for row in rows for name in row.bugs.entries if name[0] == "m"}
    assert {f"m{i:02}" for i in range(1, 19)} <= numbers


@pytest.mark.parametrize(
    ("name", "batch"), [(name, batch) for name, row in ROWS.items() for batch in range(row.batches)]
)
def test_bugs_are_caught(name: str, batch: int, tmp_path: Path) -> None:
    row = ROWS[name]
    assert missed(row.bugs, choosable(row.bugs)[batch :: row.batches], tmp_path) == []


@pytest.mark.parametrize(
    ("name", "bug"), [(name, bug) for name, row in ROWS.items() for bug in others(row.bugs)]
)
def test_bug_is_caught(name: str, bug: str, tmp_path: Path) -> None:
    ROWS[name].bugs.caught(bug, tmp_path)


@pytest.mark.parametrize("name", ROWS)
def test_without_a_bug(name: str, tmp_path: Path) -> None:
    bugs = ROWS[name].bugs
    together = plant_together(bugs, tmp_path / "planted")
    runs = [("", test, seed) for test, seed in bugs.regression(first="")]
    results = together.run(runs[:1], tmp_path / "runs")
    assert [result.status for result in results] == ["pass"]


@needs_icarus
def test_alone_on_icarus(tmp_path: Path) -> None:
    """One in the old way shows that it makes no difference."""
    ROWS["pack"].bugs.caught("push_before_pop", tmp_path, "icarus")
