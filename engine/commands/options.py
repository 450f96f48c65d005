# SPDX-License-Identifier: Apache-2.0
"""Options that several commands have, and what their values may be."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from tilepath.engine.errors import there_are
from tilepath.engine.host.start import START_LIMIT

SIMULATORS = ("verilator", "icarus")
SEED_LIMIT = 1 << 64


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


def flag(name: str, text: str) -> Any:
    """An option that is there or not; ``text`` is shown by --help, here and below."""
    return typer.Option(False, name, help=text)


def number(low: int, high: int, text: str, *names: str) -> Any:
    """An option whose value is a whole number."""
    return typer.Option(*names, parser=whole(low, high), help=text)


OUT: Final = ("--out", "-o")


def a_path(text: str, *names: str, **more: Any) -> Any:
    """An option for a file or a folder; ``more``: as of Typer's, here and below."""
    return typer.Option(*names, parser=path, help=text, **more)


def named(metavar: str, text: str, *names: str, **more: Any) -> Any:
    """An option whose value is any text."""
    return typer.Option(*names, metavar=metavar, help=text, **more)


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


# What the shell is offered for values; nothing here loads a simulator's Python.


def _blocks() -> list[str]:
    """Offer the folders that blocks are in."""
    from tilepath.engine.project import project

    return sorted(path.parent.name for path in (project().root / "tb").glob("*/block.py"))


def _profiles() -> list[str]:
    """Offer those with a name."""
    from tilepath.engine.project import project

    return list(project().profiles.names())


def _tests(context: typer.Context) -> list[str]:
    """Offer the tests of the blocks that stand on the line: those of all would take seconds."""
    from tilepath.engine.description.registry import tests_of

    named = context.params.get("block") or ()
    found: list[str] = []
    for block in (named,) if isinstance(named, str) else named:
        with suppress(ValueError):
            found += tests_of(block.replace("+", "_"))
    return found


_PROFILE_HELP = (
    "Set of hardware parameters: baseline, blackhole, wormhole; some by hand: baseline,row_w=16."
)
Profile = Annotated[str, typer.Option(help=_PROFILE_HELP, autocompletion=_profiles)]
_TEST_HELP = "Only this test, tests like 'random_*', or file FILE.pipe, FILE.kernel (repeatable)."
_BLOCK: Final = {"autocompletion": _blocks}
BlockNames = Annotated[list[str] | None, named("NAME", "Only this block (repeatable).", **_BLOCK)]
BlockName = Annotated[str, named("NAME", "The block.", **_BLOCK)]
Names = Annotated[
    list[str] | None,
    named("BLOCK", "Print this block's players, columns and streams (repeatable).", **_BLOCK),
]
TestNames = Annotated[list[str] | None, named("NAME", _TEST_HELP, autocompletion=_tests)]
TestName = Annotated[str, named("NAME", "The test.", autocompletion=_tests)]
Tags = Annotated[
    list[str] | None, named("TAG", "Only tests with this tag, as 'list' shows (repeatable).")
]

Simulator = Annotated[str, typer.Option(parser=simulator, help="Simulator: verilator or icarus.")]
AsJson = Annotated[
    bool, typer.Option("--json", help="Print one JSON object, and the rest to stderr.")
]
Seed = Annotated[
    int | None, number(0, SEED_LIMIT - 1, "Run each test once, with exactly this seed.")
]
Seeds = Annotated[int | None, number(1, 100_000, "Number of seeds per random test.")]
RootSeed = Annotated[int | None, number(0, SEED_LIMIT - 1, "Repeat a whole regression's seeds.")]
_START_HELP = "Let registers begin with these contents; default: drawn from each run's seed."
Start = Annotated[int | None, number(1, START_LIMIT - 1, _START_HELP)]
Waves = Annotated[
    bool | None,
    typer.Option(
        "--waves/--no-waves",
        help="Write waves of every run, or none; default: around what fails, after all verdicts.",
    ),
]
Jobs = Annotated[int | None, number(1, 1024, "Runs at once; default: number of cores.")]
Cycles = Annotated[int | None, number(1, 10**12, "Length of the random tests.")]
MaxFail = Annotated[int | None, number(1, 10**6, "Begin no run after so many failures.")]
Files = Annotated[
    list[Path] | None,
    a_path("A Python file with more tests (repeatable).", "--tests", metavar="FILE"),
]
_RTL_HELP = "RTL of your own in place of the block's: a folder, file or .f list (repeatable)."
Rtl = Annotated[list[str] | None, named("PATH", _RTL_HELP)]
Top = Annotated[str, named("MODULE", "Its top module, if that is not called as the block's.")]
TableFile = Annotated[Path | None, a_path("Write this file: .csv, .npz (NumPy), .parquet.", *OUT)]
Knobs = Annotated[
    list[str] | None,
    named(
        "COLUMN=VALUE",
        "Draw otherwise: wrap=0.9, kind=tilize:3,plain:1, rows=1..16 (repeatable).",
        "--knob",
    ),
]
Where = Annotated[
    str,
    typer.Option(
        metavar="CONDITION", help="Only rows for which it holds: 'rows <= 4 and kind == \"plain\"'."
    ),
]
