# SPDX-License-Identifier: Apache-2.0
"""Mutants of RTL at source level: where there can be one.

pyslang parses and, a mutant at a time, elaborates: what it refuses is not drawn.
"""

from __future__ import annotations

import contextlib
import random
import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final

from tilepath.engine.commands.errors import UsageError
from tilepath.engine.commands.mutant_copy import PACKAGE, Mutant, chosen
from tilepath.engine.commands.planted import ASSERTIONS
from tilepath.engine.commands.swaps import swaps
from tilepath.engine.description.block import DESIGN, OWN, ROOT, Block, design
from tilepath.engine.errors import there_are

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


def draw(
    block: Block,
    count: int,
    seed: int,
    kinds: Collection[str] = (),
    module: str = "",
    root: Path = ROOT,
) -> list[Mutant]:
    """Draw at most ``count`` mutants, the kinds in turn; the same sources give the same ones.

    ``kinds``: these only; none: swaps when there are no others left, so that what a seed has drawn
    without them is drawn with them too. ``module``: in this one only. ``root``: whose ``rtl/``.

    Raises:
        UsageError: without pyslang, for a kind or module that does not exist, or for a block that
            has no place for any.
    """
    if unknown := [kind for kind in kinds if kind not in KINDS]:
        raise UsageError(f"there is no kind {unknown[0]!r}; {there_are(KINDS, unknown[0])}")
    try:
        check = Elaborator(block, root)
    except ImportError:
        raise UsageError("mutants need pyslang: pip install 'tilepath[mutate]'") from None
    folders = [OWN] if design(root).files else [x for x in block.own_folders if x != "rtl/isa"]
    own = [path for path in _sources(block, root) if not _RECORDS.search(path.stem)]
    files = [path for path in own if any((root / x) in path.parents for x in folders)]
    if module:
        names = [path.stem for path in files]
        files = [path for path in files if path.stem == module]
        if not files:
            raise UsageError(f"there is no module {module!r}; {there_are(names, module)}")
    found: dict[str, list[Mutant]] = {kind: [] for kind in KINDS}
    for path in files:
        for mutant in places(path.relative_to(root).as_posix(), path.read_text(), root):
            found[mutant.kind].append(mutant)
    found["swap"] = check.swaps({path.relative_to(root).as_posix() for path in files})
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


def _sources(block: Block, root: Path) -> list[Path]:
    """All HDL of which a mutant may be, or which that looks things up in."""
    return block.rtl_sources(root) + (block.harness_sources() if block.is_bench else [])


class Elaborator:
    """Asks slang whether a block still elaborates with a mutant."""

    def __init__(self, block: Block, root: Path = ROOT) -> None:
        files = _sources(block, root)
        self._texts = {p.relative_to(root).as_posix(): _ascii(p.read_text()) for p in files}
        self._root = root
        self._parse = partial(_parsed, root=root)
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
            _mutant("swap", swap.file, (self._root / swap.file).read_text(), *swap[1:])
            for swap in swaps(self._trees.values(), self._texts)
            if swap.file in files and not any(a <= swap.start < b for a, b in spared[swap.file])
        ]

    def _errors(self, trees: dict[str, Any]) -> int:
        from pyslang.ast import Compilation

        compilation = Compilation()
        for tree in trees.values():
            compilation.addSyntaxTree(tree)
        return sum(one.isError() for one in compilation.getAllDiagnostics())


def _parsed(text: str, name: str, root: Path) -> Any:
    """A file, with the macros and folders that somebody's design below ``root`` has."""
    from pyslang import Bag
    from pyslang.parsing import PreprocessorOptions
    from pyslang.syntax import SyntaxTree

    found = PreprocessorOptions()
    folder = "/".join(Path(name).parts[:2])
    given = design(root).options or design(root, f"{folder}/{DESIGN}", folder).options
    options = [one[1:].split("+", 1) for one in given]
    found.predefines = [value for option, value in options if option == "define"]
    found.additionalIncludePaths = [root / value for option, value in options if option == "incdir"]
    manager = SyntaxTree.getDefaultSourceManager()
    return SyntaxTree.fromText(text, manager, name, "", Bag([found]))


def places(file: str, text: str, root: Path = ROOT) -> Iterator[Mutant]:
    """All mutants of a file, of which not all need compile."""
    spared = _spared(text)
    plain = _ascii(text)
    tree = _parsed(plain, file, root)
    for kind, start, end, new in _found(tree.root, plain, ""):
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
    if not _written(node):
        return
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


def _written(node: Any) -> bool:
    """Whether it stands in the file as it is, and in no macro or header."""
    from pyslang.syntax import SyntaxTree

    manager, ends = SyntaxTree.getDefaultSourceManager(), node.sourceRange
    places = (ends.start, ends.end)
    return not any(manager.isMacroLoc(at) or manager.isIncludedFileLoc(at) for at in places)


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
    elif kind == "IntegerLiteralExpression":
        # signed as the literal: else all that it is in is unsigned, with the mutant off, too
        yield "constant", start, end, f"{text[start:end]} ^ 1"
    elif kind == "IntegerVectorExpression":
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
