# SPDX-License-Identifier: Apache-2.0
"""A lost reset for each assignment that resets something: generated, in one build for a block.

Each must be noticed by the block's default regression, whatever notices it, when registers begin
with anything. Those whose start cannot matter are listed with the reason, and all of them lost at
once change nothing.
"""

from __future__ import annotations

import re
import shutil
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import pytest

from tilepath.engine.description.block import ROOT
from tilepath.engine.description.registry import load_block
from tilepath.engine.host.start import ONES
from tilepath.tests.planted import Catalogue
from tilepath.tests.planted_together import PACKAGE, Together
from tilepath.tests.tables import beside

BLOCKS: Final = beside(__file__, "lost_resets")
"""Block → its homes, tests and registers; the file says what is what."""

ALL: Final = "all that are listed"
STARTS: Final = (ONES, 1, 2)
"""All ones find what is reset to 0, random bits what is reset to 1."""

_AT_ONCE: Final = 400  # runs of one process; each of them keeps a folder

_BLOCK: Final = re.compile(r"always_ff @\(posedge clk_i or negedge rst_ni\)")
_BRANCH: Final = re.compile(r"if \(!rst_ni\)\s*")
_WORDS: Final = re.compile(r"\b(begin|end)\b")
_RESET: Final = re.compile(r"(?<![\w.\])])(?P<left>[a-z][\w.]*(?:\[[^;=]*?\])*) <= [^;]*;")
_JOINED: Final = re.compile(r"\{([\w\s,]+)\} <= '0;")
_SEMICOLON: Final = re.compile(";")
_COMMENT: Final = re.compile(r"//[^\n]*")


@dataclass(frozen=True)
class Lost:
    """One assignment of a reset, from ``start`` to ``end`` of a file below ``rtl/``."""

    file: str
    register: str
    start: int
    end: int

    @property
    def name(self) -> str:
        """``module.register``, as in the tables of what is not noticed."""
        return f"{Path(self.file).stem}.{self.register}"


def resets(block: str) -> list[Lost]:
    """All assignments of resets in the modules that are the block's."""
    return [
        Lost(str(path.relative_to(ROOT / "rtl")), register, start, end)
        for home in BLOCKS[block]["homes"]
        for path in sorted((ROOT / "rtl").glob(f"{home}.sv"))
        for register, start, end in resets_in(apart(path.read_text()))
    ]


def reasons(block: str, table: str = "listed") -> dict[str, str]:
    """Register → why its lost reset is not noticed, of a table of the block's."""
    rows = BLOCKS[block].get(table, {}).items()
    return {register: why for why, registers in rows for register in registers}


def apart(text: str) -> str:
    """``text`` with an assignment for each register that ``{a_q, b_q} <= '0;`` clears."""

    def each(found: re.Match[str]) -> str:
        cleared = (f"{name} <= '0;" for name in re.findall(r"\w+", found[1]))
        return f"begin {' '.join(cleared)} end"

    return _JOINED.sub(each, text)


def resets_in(text: str) -> Iterator[tuple[str, int, int]]:
    """What is assigned, and from where to where, in the reset branches of a module."""
    text = _COMMENT.sub(lambda found: " " * len(found[0]), text)
    for block in _BLOCK.finditer(text):
        branch = _BRANCH.search(text, block.end())
        assert branch is not None, text[block.start() : block.start() + 200]
        begin = branch.end()
        end = _end(text, begin)
        for found in _RESET.finditer(text, begin, end):
            start = found.start()
            if text.count("(", begin, start) == text.count(")", begin, start):  # else of a loop
                yield " ".join(found["left"].split()), start, found.end()


def _end(text: str, begin: int) -> int:
    """Return where the statement that begins at ``begin`` ends."""
    if not text.startswith("begin", begin):
        found = _SEMICOLON.search(text, begin)
        assert found is not None
        return found.end()
    depth = 0
    for word in _WORDS.finditer(text, begin):
        depth += 1 if word[0] == "begin" else -1
        if depth == 0:
            return word.end()
    raise AssertionError("a begin without end")


def plant(block: str, listed: Collection[str], folder: Path) -> Together:
    """A copy of the RTL in which each reset of ``block`` can be lost, and all ``listed`` ones."""
    found = resets(block)
    names = [lost.name for lost in found]
    numbers = {name: number for number, name in enumerate(dict.fromkeys(names), 1)}
    every = len(numbers) + 1
    shutil.copytree(ROOT / "rtl", folder / "rtl")
    for lost in reversed(found):
        path = folder / "rtl" / lost.file
        text = apart(path.read_text())
        kept = f"planted_pkg::bug != {numbers[lost.name]}"
        if lost.name in listed:
            kept += f" && planted_pkg::bug != {every}"
        reset = text[lost.start : lost.end]
        text = f"{text[: lost.start]}begin if ({kept}) {reset} end{text[lost.end :]}"
        path.write_text(text)
    (folder / "rtl" / load_block(block).rtl[0] / "planted_pkg.sv").write_text(PACKAGE)
    return Together(Catalogue(block, ""), folder, numbers | {ALL: every})


def unnoticed(
    together: Together,
    listed: Collection[str],
    first: Sequence[str],
    folder: Path,
    profiles: Sequence[str] = ("baseline",),
) -> list[str]:
    """Names of lost resets that no run of the default regression notices, in any of ``profiles``.

    The tests ``first`` come first, in that order, in the first profile with all :data:`STARTS`; it
    ends when none but those ``listed`` are left, which are lost alone in the first run only.
    ``AssertionError`` when a run fails in which nothing was lost, or :data:`ALL` at once.
    """
    catalogues = [replace(together.catalogue, profile=profile) for profile in profiles]
    runs = [(found, *run) for found in catalogues for run in found.regression("")]
    runs.sort(key=lambda run: first.index(run[1]) if run[1] in first else len(first))
    left = [name for name in together.numbers if name != ALL]
    for number, (catalogue, test, seed) in enumerate(runs):
        often = test in first and catalogue is catalogues[0]
        for start in STARTS if often else STARTS[:1]:
            begun = replace(together, catalogue=catalogue, start=start)
            alone = number == 0 and start == STARTS[0]
            tried = ["", ALL, *(name for name in left if alone or name not in listed)]
            status: dict[str, str] = {}
            for names in (tried[i : i + _AT_ONCE] for i in range(0, len(tried), _AT_ONCE)):
                planted = [(name, test, seed) for name in names]
                for name, result in zip(names, begun.run(planted, folder), strict=True):
                    status[name] = f"{result.status}: {result.message}"
                shutil.rmtree(folder)
            for name in ("", ALL):
                where = f"{catalogue.profile}: {test} seed {seed}, start {start}"
                said = f"{where}, {name or 'nothing'} lost"
                assert status[name].startswith("pass"), f"{said}: {status[name]}"
            left = [name for name in left if status.get(name, "pass").startswith("pass")]
            if set(left) <= set(listed):
                return left
    return left


MODULE = """\
  always_ff @(posedge clk_i or negedge rst_ni) begin  // if (!rst_ni) c_q <= 1'b0;
    if (!rst_ni) begin
      a_q <= '0;
      for (int i = 0; i <= 3; i++) b_q[i] <= 4'd1;
    end else begin
      if (a_q <= b_q[0]) a_q <= b_q[0];
    end
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) {c_q, e_q} <= '0;
    else c_q <= 1'b1;
  end
  always_ff @(posedge clk_i) d_q <= c_q;
"""


def test_what_a_reset_branch_assigns() -> None:
    text = apart(MODULE)
    assert "if (!rst_ni) begin c_q <= '0; e_q <= '0; end\n    else" in text
    found = [text[start:end] for _, start, end in resets_in(text)]
    assert found == ["a_q <= '0;", "b_q[i] <= 4'd1;", "c_q <= '0;", "e_q <= '0;"]
    assert [name for name, _, _ in resets_in(text)] == ["a_q", "b_q[i]", "c_q", "e_q"]


def test_every_module_with_a_reset_has_lost_ones() -> None:
    lost = Counter(one.file for block in BLOCKS for one in resets(block))
    for path in sorted((ROOT / "rtl").rglob("*.sv")):
        branches = len(re.findall(r"if \(!rst_ni\)", path.read_text()))
        assert lost[str(path.relative_to(ROOT / "rtl"))] >= branches, path.name


def test_each_is_chosen_alone_and_the_listed_ones_together(tmp_path: Path) -> None:
    together = plant("flag_pipe", ["flag_bank.set_set_q"], tmp_path / "planted")
    number, every = together.numbers["flag_bank.set_set_q"], together.numbers[ALL]
    text = (together.root / "rtl" / "flag_pipe" / "flag_bank.sv").read_text()
    chosen = f"planted_pkg::bug != {number} && planted_pkg::bug != {every}"
    assert f"begin if ({chosen}) set_set_q <= 1'b0; end\n    end else if (clr_i)" in text
    assert text.count("planted_pkg::bug") == 5  # two stages, two registers, one of them listed
    assert len({*together.numbers.values()}) == len(together.numbers)


@pytest.mark.parametrize("block", BLOCKS)
def test_all_are_noticed_but_those_whose_start_cannot_matter(block: str, tmp_path: Path) -> None:
    listed = reasons(block)
    every = {*listed, *reasons(block, "covered")}
    together = plant(block, listed, tmp_path / "planted")
    about = BLOCKS[block]
    profiles = about.get("profiles", ("baseline",))
    left = unnoticed(together, every, about["first"], tmp_path / "runs", profiles)
    assert {*left} == every
