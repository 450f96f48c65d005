# SPDX-License-Identifier: Apache-2.0
"""Options that several commands have, and what their values may be."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Final

import typer

from tilepath.cli.plan import SEED_LIMIT
from tilepath.isa.errors import there_are
from tilepath.tb.kernel.host.start import START_LIMIT

SIMULATORS = ("verilator", "icarus")


def simulator(text: str) -> str:
    """``text`` if it is the name of a simulator."""
    if text not in SIMULATORS:
        raise typer.BadParameter(f"{text!r}: {there_are(SIMULATORS, text)}")
    return text


def whole(low: int, high: int) -> Callable[[str | int], int]:
    """Make a parser of whole numbers whose complaint shows what was typed."""

    def parse(value: str | int) -> int:
        text = str(value)  # a default comes here too
        if not (text.isascii() and text.isdigit() and len(text) < 30 and low <= int(text) <= high):
            raise typer.BadParameter(f"{text!r} is not a whole number from {low} to {high}")
        return int(text)

    parse.__name__ = "number"  # shown by --help
    return parse


def path(text: str | Path) -> Path:
    """Refuses the empty path, which would be the current folder."""
    if not str(text):
        raise typer.BadParameter("the path is empty")
    return Path(text)


path.__name__ = "path"  # shown by --help

_BUDGET: Final = re.compile(r"([1-9]\d{0,8})(s|m|h|runs)", re.ASCII)
_SECONDS: Final = {"s": 1, "m": 60, "h": 3600}


@dataclass(frozen=True)
class Budget:
    """So many seconds, or so many runs."""

    text: str
    seconds: float = float("inf")
    runs: float = float("inf")


def budget(text: str) -> Budget:
    """``90s``, ``30m``, ``8h`` or ``200runs``."""
    match = _BUDGET.fullmatch(text)
    if match is None:
        raise typer.BadParameter(f"{text!r} is no budget: write 90s, 30m, 8h or 200runs")
    number, unit = int(match[1]), match[2]
    if unit == "runs":
        return Budget(text, runs=number)
    return Budget(text, seconds=number * _SECONDS[unit])


budget.__name__ = "budget"  # shown by --help

_PROFILE_HELP = (
    "Set of hardware parameters: baseline or blackhole; some by hand: baseline,row_w=16."
)
Profile = Annotated[str, typer.Option(help=_PROFILE_HELP)]
_TEST_HELP = "Only this test, tests like 'random_*', or file FILE.pipe, FILE.kernel (repeatable)."
BlockNames = Annotated[
    list[str] | None, typer.Option(metavar="NAME", help="Only this block (repeatable).")
]
TestNames = Annotated[list[str] | None, typer.Option(metavar="NAME", help=_TEST_HELP)]
Tags = Annotated[
    list[str] | None,
    typer.Option(metavar="TAG", help="Only tests with this tag, as 'list' shows (repeatable)."),
]

Simulator = Annotated[str, typer.Option(parser=simulator, help="Simulator: verilator or icarus.")]
Seed = Annotated[
    int | None,
    typer.Option(
        parser=whole(0, SEED_LIMIT - 1), help="Run each test once, with exactly this seed."
    ),
]
Seeds = Annotated[
    int | None, typer.Option(parser=whole(1, 100_000), help="Number of seeds per random test.")
]
RootSeed = Annotated[
    int | None,
    typer.Option(parser=whole(0, SEED_LIMIT - 1), help="Repeat a whole regression's seeds."),
]
Start = Annotated[
    int | None,
    typer.Option(
        parser=whole(1, START_LIMIT - 1),
        help="Let registers begin with these contents; default: drawn from each run's seed.",
    ),
]
Waves = Annotated[
    bool | None,
    typer.Option(
        "--waves/--no-waves",
        help="Write waves of every run, or none; default: around what fails, after all verdicts.",
    ),
]
Jobs = Annotated[
    int | None, typer.Option(parser=whole(1, 1024), help="Runs at once; default: number of cores.")
]
Cycles = Annotated[
    int | None, typer.Option(parser=whole(1, 10**12), help="Length of the random tests.")
]
MaxFail = Annotated[
    int | None, typer.Option(parser=whole(1, 10**6), help="Begin no run after so many failures.")
]
Files = Annotated[
    list[Path] | None,
    typer.Option(
        "--tests", parser=path, metavar="FILE", help="A Python file with more tests (repeatable)."
    ),
]
TableFile = Annotated[
    Path | None,
    typer.Option("--out", "-o", parser=path, help="Write this file: .csv, .npz (NumPy), .parquet."),
]
Knobs = Annotated[
    list[str] | None,
    typer.Option(
        "--knob",
        metavar="COLUMN=VALUE",
        help="Draw otherwise: wrap=0.9, kind=tilize:3,plain:1, rows=1..16 (repeatable).",
    ),
]
Where = Annotated[
    str,
    typer.Option(
        metavar="CONDITION", help="Only rows for which it holds: 'rows <= 4 and kind == \"plain\"'."
    ),
]
