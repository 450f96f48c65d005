# SPDX-License-Identifier: Apache-2.0
"""Mutants of RTL at source level: where there can be one, and all of them in one copy.

pyslang parses and, a mutant at a time, elaborates: what it refuses is not drawn. In the copy each
mutated expression is ``(planted_pkg::bug == 7 ? (mutant) : (as it was))``; the number stands in the
file ``planted`` of the folder of the run, 0 for none, so that one build has all of them. Arrays and
outputs of instances, which have no place in such an expression, go through nets of their own.
"""

from __future__ import annotations

import contextlib
import random
import re
import shutil
from collections import Counter, defaultdict
from collections.abc import Collection, Container, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from tilepath.engine.commands.errors import UsageError
from tilepath.engine.commands.planted import ASSERTIONS, copy_sources
from tilepath.engine.commands.swaps import swaps
from tilepath.engine.description.block import ROOT, Block
from tilepath.engine.errors import there_are

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

_PLACED: Final = (
    "operator",
    "constant",
    "condition",
    "select",
    "index",
    "enable",
    "update",
    "reset",
)
KINDS: Final = (*_PLACED, "swap")

_SWAPS: Final = {
    **{"+": "-", "-": "+", "&": "|", "|": "&", "^": "|", "&&": "||", "||": "&&", "==": "!="},
    **{"!=": "==", "<": "<=", "<=": "<", ">": ">=", ">=": ">", "<<": ">>", ">>": "<<"},
}
_PREFIXES: Final = {"!": "|({})", "~": "{}", "|": "&({})", "&": "|({})", "-": "{}"}
_LITERAL: Final = re.compile(r"\d*'|\d+$")
_RECORDS: Final = re.compile("_harness$")  # files that only drive and record
_RESET: Final = re.compile(r"!\s*rst_ni")
# what has to be constant, or is no hardware
_CONSTANT: Final = (
    *("Dimension", "Parameter", "Typedef", "InitialBlock", "FinalBlock", "EventControl"),
    *("FunctionPrototype", "CaseGenerate", "Assertion"),
)
_ROOTS: Final = ("ContinuousAssign", "Always", "FunctionDeclaration", "NetDeclaration")


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


def draw(
    block: Block, count: int, seed: int, kinds: Collection[str] = (), module: str = ""
) -> list[Mutant]:
    """Draw at most ``count`` mutants, the kinds in turn; the same sources give the same ones.

    ``kinds``: these only; none: swaps when there are no others left, so that what a seed has drawn
    without them is drawn with them too. ``module``: in this one only.

    Raises:
        UsageError: without pyslang, for a kind or module that does not exist, or for a block that
            has no place for any.
    """
    if unknown := [kind for kind in kinds if kind not in KINDS]:
        raise UsageError(f"there is no kind {unknown[0]!r}; {there_are(KINDS, unknown[0])}")
    try:
        check = Elaborator(block)
    except ImportError:
        raise UsageError("mutants need pyslang: pip install 'tilepath[mutate]'") from None
    own = [ROOT / folder for folder in block.own_folders if folder != "rtl/isa"]
    files = [p for p in _sources(block) if p.parent in own and not _RECORDS.search(p.stem)]
    if module:
        names = [path.stem for path in files]
        files = [path for path in files if path.stem == module]
        if not files:
            raise UsageError(f"there is no module {module!r}; {there_are(names, module)}")
    found: dict[str, list[Mutant]] = {kind: [] for kind in KINDS}
    for path in files:
        for mutant in places(path.relative_to(ROOT).as_posix(), path.read_text()):
            found[mutant.kind].append(mutant)
    found["swap"] = check.swaps({path.relative_to(ROOT).as_posix() for path in files})
    rng = random.Random(seed)
    for mutants in found.values():
        rng.shuffle(mutants)
    wires = [one for one in found["swap"] if not _LITERAL.match(one.old)]  # tied off: no signal
    found["swap"] = _one_a_place_first(wires)[::-1]  # they are taken from the end
    drawn: list[Mutant] = []
    for turns in (kinds,) if kinds else (_PLACED, KINDS):
        some = [found[kind] for kind in KINDS if kind in turns]
        while len(drawn) < count and any(some):
            for mutants in filter(None, some):
                fitting = (one for one in iter(mutants.pop, None) if check.accepts(one))
                with contextlib.suppress(IndexError):  # none left
                    drawn.append(next(fitting))
    if not drawn:
        raise UsageError(f"there is nothing to mutate in block {block.name}")
    return drawn[:count]


def _one_a_place_first(mutants: Sequence[Mutant]) -> list[Mutant]:
    """The first of each place, the second of each, and so on: some places have very many."""
    times: Counter[tuple[str, int]] = Counter()
    turn = {}
    for one in mutants:
        times[one.file, one.start] += 1
        turn[one] = times[one.file, one.start]
    return sorted(mutants, key=turn.__getitem__)


def _sources(block: Block) -> list[Path]:
    """All HDL of which a mutant may be, or which that looks things up in."""
    return block.rtl_sources() + (block.harness_sources() if block.is_bench else [])


class Elaborator:
    """Asks slang whether a block still elaborates with a mutant."""

    def __init__(self, block: Block) -> None:
        from pyslang.syntax import SyntaxTree

        self._parse = SyntaxTree.fromText
        files = _sources(block)
        self._texts = {p.relative_to(ROOT).as_posix(): _ascii(p.read_text()) for p in files}
        texts = {"planted_pkg.sv": PACKAGE, **self._texts}
        self._trees = {name: self._parse(text, name) for name, text in texts.items()}
        self._usual = self._errors(self._trees)

    def accepts(self, mutant: Mutant) -> bool:
        """Whether it has no errors that were not there before."""
        text = chosen(self._texts[mutant.file], [(1, mutant)])
        changed = self._parse(text, mutant.file)
        return self._errors({**self._trees, mutant.file: changed}) <= self._usual

    def swaps(self, files: Collection[str]) -> list[Mutant]:
        """Mutants of the wiring of these files."""
        spared = {file: _spared(self._texts[file]) for file in files}
        return [
            _mutant("swap", swap.file, (ROOT / swap.file).read_text(), *swap[1:])
            for swap in swaps(self._trees.values(), self._texts)
            if swap.file in files and not any(a <= swap.start < b for a, b in spared[swap.file])
        ]

    def _errors(self, trees: dict[str, Any]) -> int:
        from pyslang.ast import Compilation

        compilation = Compilation()
        for tree in trees.values():
            compilation.addSyntaxTree(tree)
        return sum(one.isError() for one in compilation.getAllDiagnostics())


def places(file: str, text: str) -> Iterator[Mutant]:
    """All mutants of a file, of which not all need compile."""
    from pyslang.syntax import SyntaxTree

    spared = _spared(text)
    plain = _ascii(text)
    for kind, start, end, new in _found(SyntaxTree.fromText(plain, file).root, plain, ""):
        if not any(first <= start < last for first, last in spared):
            yield _mutant(kind, file, text, start, end, new)


def _ascii(text: str) -> str:
    """It with a letter for each: slang counts bytes."""
    return text.encode("ascii", "replace").decode()


def _spared(text: str) -> list[tuple[int, int]]:
    return [match.span() for match in ASSERTIONS.finditer(text)]


def _mutant(kind: str, file: str, text: str, start: int, end: int, new: str, *more: Any) -> Mutant:
    line = text.count("\n", 0, start) + 1
    source = text.splitlines()[line - 1].strip()
    return Mutant(kind, file, start, text[start:end], new, line, source, *more)


Place = tuple[str, int, int, str]
"""Kind, start and end, and what is to be there instead."""


def _found(node: Any, text: str, where: str) -> Iterator[Place]:
    """Below ``node``; ``where``: empty outside of hardware, else ``on``, ``ff`` or ``reset``."""
    kind = node.kind.name
    if kind.startswith(_ROOTS) or kind.endswith("PortConnection"):
        where = "ff" if kind == "AlwaysFFBlock" else "on"
    if kind == "Declarator" and node.name.valueText.startswith("unused"):
        return
    if where:
        yield from _here(node, kind, text, where)
    resets = kind == "ConditionalStatement" and _RESET.fullmatch(_text(node.predicate, text))
    for part in _parts(node, kind):
        name = part.kind.name
        if resets and name == "ConditionalPredicate":
            continue
        found = _found(part, text, "reset" if resets and name != "ElseClause" else where)
        if "AssignmentExpression" in kind and _span(part) == _span(node.left):
            found = (one for one in found if one[0] == "index" and where != "on")
        yield from found


def _parts(node: Any, kind: str) -> list[Any]:
    """What may change below ``node``: no constants, and nothing that is no hardware."""
    if any(word in kind for word in _CONSTANT):
        return []
    some = {
        "ForLoopStatement": ("statement",),
        "LoopGenerate": ("block",),
        "IfGenerate": ("block", "elseClause"),
        "StandardCaseItem": ("clause",),
        "MultipleConcatenationExpression": ("concatenation",),
        "CastExpression": ("right",),
        "SimpleRangeSelect": (),
        "AscendingRangeSelect": ("left",),
        "DescendingRangeSelect": ("left",),
    }.get(kind)
    if kind == "BitSelect" and re.fullmatch(r"\s*\d+\s*", str(node)):
        some = ()  # it has been mutated as an index
    if kind == "InvocationExpression" and str(node.left).strip().startswith("$"):
        some = ()
    parts = node if some is None else [getattr(node, name) for name in some]
    return [part for part in parts if hasattr(part, "sourceRange")]


def _here(node: Any, kind: str, text: str, where: str) -> Iterator[Place]:
    """The mutants that are ``node`` itself."""
    start, end = _span(node)
    if kind == "NonblockingAssignmentExpression":
        if "AssignmentPattern" not in node.right.kind.name:
            name = "reset" if where == "reset" else "update"
            yield (name, *_span(node.right), _text(node.left, text))
    elif kind.endswith("AssignmentExpression"):
        return
    elif hasattr(node, "operatorToken"):
        sign, binary = node.operatorToken.valueText, hasattr(node, "right")
        if binary and sign in _SWAPS:
            left, right = (_alone(_text(side, text)) for side in (node.left, node.right))
            yield "operator", start, end, f"{left} {_SWAPS[sign]} {right}"
        elif not binary and sign in _PREFIXES:
            yield "operator", start, end, _PREFIXES[sign].format(_text(node.operand, text))
    elif kind == "ConditionalExpression":
        yield "condition", *_span(node.predicate), f"!({_text(node.predicate, text)})"
    elif kind == "ConditionalStatement":
        was = _text(node.predicate, text)
        if not _RESET.fullmatch(was):
            yield "condition", *_span(node.predicate), f"!({was})"
            yield "condition", *_span(node.predicate), "1'b0"
            if where == "ff":
                yield "enable", *_span(node.predicate), "1'b1"
    elif kind == "UnbasedUnsizedLiteralExpression":
        yield "constant", start, end, {"'0": "'1"}.get(text[start:end], "'0")
    elif kind in ("IntegerLiteralExpression", "IntegerVectorExpression"):
        yield "constant", start, end, f"{text[start:end]} ^ 1'd1"
    elif kind == "BitSelect":
        yield "index", start, end, f"({text[start:end]}) ^ 1'd1"
    elif kind == "IdentifierSelectName":
        selected = re.fullmatch(r"(\w+)\[(\w+):(\w+)\]", text[start:end])
        if selected:
            name, high, low = selected.groups()
            by = "+ 1" if low == "0" else "- 1"
            yield "select", start, end, f"{name}[{high} {by}:{low} {by}]"


def _alone(operand: str) -> str:
    return f"({operand})" if " " in operand else operand


def _span(node: Any) -> tuple[int, int]:
    return node.sourceRange.start.offset, node.sourceRange.end.offset


def _text(node: Any, text: str) -> str:
    start, end = _span(node)
    return text[start:end]


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
    block: Block, mutants: Sequence[Mutant], root: Path, without: Container[int] = ()
) -> None:
    """A copy of the HDL below ``root`` with ``mutants``, numbered from 1 in their order.

    ``without``: numbers of some that are left out.
    """
    shutil.rmtree(root, ignore_errors=True)
    copy_sources(root, block)
    (root / "rtl" / block.rtl[0] / "planted_pkg.sv").write_text(PACKAGE)
    numbered = [(number, one) for number, one in enumerate(mutants, 1) if number not in without]
    for file in {mutant.file for mutant in mutants}:
        own = [(number, mutant) for number, mutant in numbered if mutant.file == file]
        (root / file).write_text(chosen((ROOT / file).read_text(), own))
