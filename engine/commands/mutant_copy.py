# SPDX-License-Identifier: Apache-2.0
"""A mutant, and all of them in one copy of the RTL.

In the copy each mutated expression is ``(planted_pkg::bug == 7 ? (mutant) : (as it was))``; the
number stands in the file ``planted`` of the folder of the run, 0 for none, so that one build has
all of them. Arrays and outputs of instances, which have no place in such an expression, go through
nets of their own.
"""

from __future__ import annotations

import shutil
from collections import defaultdict
from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tilepath.engine.commands.planted import copy_sources
from tilepath.engine.description.block import DESIGN, ROOT, Block, design

PACKAGE: Final = """\
package planted_pkg;
  function automatic int chosen();
    int file;
    chosen = 0;
    file = $fopen("planted", "r");
    if (file != 0) begin
      if ($fscanf(file, "%d", chosen) != 1) chosen = 0;
      $fclose(file);
    end
  endfunction
  int bug = chosen();
endpackage
"""


@dataclass(frozen=True)
class Mutant:
    """``file``, below the root, has ``new`` in place of ``old`` from offset ``start`` on.

    ``around`` and ``other``: as of a :class:`~tilepath.engine.commands.swaps.Swap`.
    """

    kind: str
    file: str
    start: int
    old: str
    new: str
    line: int
    source: str
    around: tuple[int, int] | None = None
    other: int | None = None

    @property
    def place(self) -> str:
        """``file:line``."""
        return f"{self.file}:{self.line}"


def chosen(text: str, numbered: Iterable[tuple[int, Mutant]]) -> str:
    """``text`` with mutants, each in effect when its number is chosen."""
    before: dict[int, list[tuple[int, str]]] = defaultdict(list)
    after: dict[int, str] = defaultdict(str)
    nets: dict[int, _Net] = {}
    named = set()  # connections .name, which become .name(…)
    for number, mutant in numbered:
        end = mutant.start + len(mutant.old)
        bug = f"planted_pkg::bug == {number} ? "
        if mutant.around:
            net = nets.setdefault(mutant.start, _Net(mutant.start, mutant.old, mutant.around))
            if mutant.other is None:
                net.instead += f"{bug}{mutant.new} : "
            else:
                new = nets.setdefault(mutant.other, _Net(mutant.other, mutant.new, mutant.around))
                new.drives = net.drives = True
                net.instead += f"{bug}{new.name} : "
                new.instead += f"{bug}{net.name} : "
            continue
        if text[mutant.start - 1] == "." and mutant.start not in named:
            named.add(mutant.start)
            before[mutant.start].append((len(text), f"{mutant.old}("))
            after[end] += ")"
        before[mutant.start].append((end, f"({bug}({mutant.new}) : ("))
        after[end] += "))"
    for start, net in nets.items():
        begin, end = net.around
        before[begin].append((len(text), f"wire type({net.text}) {net.name}; "))
        to, usual = (net.text, net.name) if net.drives else (net.name, net.text)
        after[end] += f" assign {to} = {net.instead}{usual};"
        if text[start - 1] == ".":
            after[start + len(net.text)] += f"({net.name})"
        else:
            before[start].append((len(text), "/* "))
            after[start + len(net.text)] += f" */ {net.name}"
    out, at = [], 0
    for place in sorted({*before, *after}):
        # of those that begin here, the longest are outside
        begins = sorted(before[place], key=lambda one: -one[0])
        out += [text[at:place], after[place], *(new for _, new in begins)]
        at = place
    # a function that is not inlined may not look at a variable of a package
    return "".join([*out, text[at:]]).replace("/* verilator no_inline_task */", "")


@dataclass
class _Net:
    """What stands between a connection at ``start`` and ``text``, which it drives or is."""

    start: int
    text: str
    around: tuple[int, int]
    drives: bool = False
    instead: str = ""

    @property
    def name(self) -> str:
        """Its name in the copy."""
        return f"planted_{self.start}"


def write_copy(
    block: Block,
    mutants: Sequence[Mutant],
    root: Path,
    without: Container[int] = (),
    tree: Path = ROOT,
) -> None:
    """A copy of the HDL below ``root`` with ``mutants``, numbered from 1 in their order.

    ``without``: numbers of some that are left out. ``tree``: what is copied.
    """
    shutil.rmtree(root, ignore_errors=True)
    package = root / "rtl" / block.rtl[0] / "planted_pkg.sv"
    if design(tree).files:
        shutil.copytree(tree / "rtl", root / "rtl")
        shutil.copy(tree / DESIGN, root / DESIGN)
    else:
        copy_sources(root, block)
    for path in (root / DESIGN, root / "rtl" / block.name / DESIGN):
        if path.exists():
            listed = f"{package.relative_to(root).as_posix()}\n{path.read_text()}"
            path.write_text(listed)
    package.parent.mkdir(exist_ok=True)
    package.write_text(PACKAGE)
    numbered = [(number, one) for number, one in enumerate(mutants, 1) if number not in without]
    for file in {mutant.file for mutant in mutants}:
        own = [(number, mutant) for number, mutant in numbered if mutant.file == file]
        (root / file).write_text(chosen((tree / file).read_text(), own))
