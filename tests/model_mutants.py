# SPDX-License-Identifier: Apache-2.0
"""Mutants of a block's golden model: which of them stored runs find, and of the rest which tests.

    python -m tilepath.tests.model_mutants BLOCK COUNT RESULTS RUNS TEST...

RUNS is a folder of runs, TEST what pytest takes; RESULTS gets a line of JSON a mutant. All mutants
are in one build, and each in a process of its own: places in the model, compiled too, ask a word
of memory which mutant is alive.
"""

from __future__ import annotations

import argparse
import ast
import ctypes
import gc
import json
import mmap
import os
import random
import signal
import sys
from collections.abc import Callable, Iterable, Sequence
from functools import _lru_cache_wrapper
from importlib.machinery import PathFinder, SourceFileLoader
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Final

import pytest
from llvmlite import ir
from numba import types
from numba.extending import lower_builtin, type_callable

_SECONDS: Final = 120  # a mutant can make a model go on for ever
_WORD: Final = 0x5A00_0000_0000  # its address, which nothing else has
_PAIRS: Final = ("Add Sub", "Mult Add", "FloorDiv Mult", "BitAnd BitOr", "BitXor BitOr",
                 "LShift RShift", "And Or", "Lt LtE", "Gt GtE", "Eq NotEq")  # fmt: skip
_OTHER: Final = dict(pair for text in _PAIRS for pair in (text.split()[::-1], text.split()))
_NOT_WITHIN: Final = (ast.Raise, ast.JoinedStr, ast.AnnAssign, ast.pattern)

_map: Any = ctypes.CDLL(None).mmap
_map.argtypes = (*[ctypes.c_size_t] * 2, *[ctypes.c_int] * 3, ctypes.c_long)
_map(_WORD, mmap.PAGESIZE, 3, 0x32, -1, 0)  # read and write; private, anonymous, fixed
ALIVE: Final = ctypes.c_int64.from_address(_WORD)


def alive(number: int) -> bool:
    """Whether this mutant is alive."""
    return ALIVE.value == number


type_callable(alive)(lambda _: lambda number: types.boolean)


@lower_builtin(alive, types.Integer)
def _lowered(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    stored = builder.load(ir.Constant(ir.IntType(64), _WORD).inttoptr(ir.IntType(64).as_pointer()))
    number = context.cast(builder, arguments[0], signature.args[0], types.int64)
    return builder.icmp_signed("==", stored, number)


def _mutant(node: Any) -> Any:
    """What stands there otherwise; ``None`` where nothing does."""
    kind = type(getattr(node, "op", None) or getattr(node, "ops", [None])[0]).__name__
    other = getattr(ast, _OTHER.get(kind, ""), type(None))()
    match node:
        case ast.BinOp() if other:
            return ast.BinOp(node.left, other, node.right)
        case ast.BoolOp():
            return ast.BoolOp(other, node.values)
        case ast.Compare() if other:
            return ast.Compare(node.left, [other, *node.ops[1:]], node.comparators)
        case ast.Constant(bool(value)):
            return ast.Constant(not value)
        case ast.Constant(int(value)):
            return ast.Constant(value + 1)
        case ast.AugAssign() | ast.Assign([ast.Attribute() | ast.Subscript()]):
            return ast.Pass()
    return None


class _Planter(ast.NodeTransformer):
    """Lists the places in a file's functions, and plants those in ``numbers``."""

    def __init__(self, file: str, numbers: dict[tuple[str, int], int]) -> None:
        self.found: list[tuple[tuple[str, int], str, str]] = []
        self._file, self._numbers, self._inside = file, numbers, False

    def visit(self, node: Any) -> Any:
        if isinstance(node, ast.FunctionDef):  # neither defaults nor decorators
            before, self._inside = self._inside, True
            node.body = [self.visit(one) for one in node.body]
            self._inside = before
        elif isinstance(node, ast.Subscript):  # an index may have to be a constant
            node.value = self.visit(node.value)
        elif not isinstance(node, _NOT_WITHIN):
            self.generic_visit(node)
        new = _mutant(node) if self._inside else None
        if new is None:
            return node
        key = (self._file, len(self.found))
        change = f"{ast.unparse(node)} -> {ast.unparse(new)}"
        self.found.append((key, f"{self._file}:{node.lineno}", change))
        if key not in self._numbers:
            return node
        asked = ast.Call(ast.Name("_alive", ast.Load()), [ast.Constant(self._numbers[key])], [])
        if isinstance(node, ast.stmt):
            return ast.If(asked, [new], [node])
        return ast.IfExp(asked, new, node)


class _Modules(SourceFileLoader):
    """Finds and loads the modules of the model."""

    package: str
    numbers: dict[tuple[str, int], int]

    @classmethod
    def find_spec(cls, name: str, path: Any, target: Any = None) -> Any:
        if name.rpartition(".")[0] != cls.package or "account" in name:
            return None
        spec = PathFinder.find_spec(name, path, target)
        if spec is not None and spec.origin:
            spec.loader = cls(name, spec.origin)
        return spec

    def get_code(self, fullname: str) -> Any:
        planter = _Planter(Path(self.path).name, self.numbers)
        tree = planter.visit(ast.parse(self.get_data(self.path), fullname))
        return compile(ast.fix_missing_locations(tree), self.path, "exec")

    def exec_module(self, module: Any) -> None:
        module._alive = alive
        super().exec_module(module)


def _check(runs: Sequence[Path], tell: Callable[[str], object]) -> None:
    from tilepath.engine.checking.stored import check_run

    for run in runs:
        tell(f"at {run.name}")
        if check_run(run).status != "pass":
            return
    tell("end of it")


def _test(tests: Sequence[str], tell: Callable[[str], object]) -> None:
    for found in gc.get_objects():
        if isinstance(found, _lru_cache_wrapper) and found.__module__.startswith("tilepath.tests"):
            found.cache_clear()
    plugin = SimpleNamespace(
        pytest_runtest_logstart=lambda nodeid: tell(f"at {nodeid}"),
        pytest_runtest_logreport=lambda report: report.failed and tell(f"failed {report.nodeid}"),
    )
    status = pytest.main(["-q", "-p", "no:cacheprovider", *tests], [plugin])
    tell(f"failed pytest, with status {status}" if status > 1 else "end of it")


def _failing(told: Iterable[str]) -> list[str]:
    """Return what fails: tests that say so, and what is at work at the end."""
    lines = [line.rstrip("\n").partition(" ") for line in told]
    last = [name for kind, _, name in lines[-1:] if kind == "at"]
    return [*dict.fromkeys(name for kind, _, name in lines if kind == "failed"), *last]


def _forked(number: int, work: Callable[..., None], what: Any) -> list[str]:
    """Return what fails with a mutant."""
    readable, writable = os.pipe()
    child = os.fork()
    if not child:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        os.dup2(1, 2)
        signal.alarm(_SECONDS)
        ALIVE.value = number
        try:
            work(what, lambda line: os.write(writable, f"{line}\n".encode()))
        finally:
            os._exit(0)
    os.close(writable)
    with os.fdopen(readable) as told:
        failing = _failing(told)
    os.waitpid(child, 0)
    return failing


def main(block: str, count: int, results: str, runs: str, *tests: str) -> None:
    """Plant, run everything once without a mutant, which must pass, then with each."""
    os.environ["TILEPATH_BUILD"] = str(Path(f"{results}-{count}.build").resolve())
    places = []
    for file in sorted(Path(__file__).parents[1].glob(f"models/{block}/*.py")):
        if "account" not in file.name:
            planter = _Planter(file.name, {})
            planter.visit(ast.parse(file.read_bytes()))
            places += planter.found
    chosen = random.Random(1).sample(places, min(count, len(places)))
    _Modules.package = f"tilepath.models.{block}"
    _Modules.numbers = {key: number for number, (key, _, _) in enumerate(chosen, 1)}
    sys.meta_path.insert(0, _Modules)
    stored = sorted(path.parent for path in Path(runs).rglob("outcome.json"))
    if not places or not stored:
        what = f"runs in {runs}" if places else f"functions in models/{block}"
        print(f"there are no {what}", file=sys.stderr)
        sys.exit(2)
    for work, what in ((_test, tests), (_check, stored)):
        told: list[str] = []
        work(what, told.append)
        if failing := _failing(told):
            sys.exit(f"without a mutant: {', '.join(failing)}")
    for number, (_, place, change) in enumerate(chosen, 1):
        by_runs = _forked(number, _check, stored)
        by_tests = [] if by_runs else _forked(number, _test, tests)
        row = {"place": place, "change": change, "runs": by_runs, "tests": by_tests}
        with Path(results).open("a") as file:
            file.write(f"{json.dumps(row)}\n")


if __name__ == "__main__":
    usage = (__doc__ or "").split("\n\n")[1].strip()
    parser = argparse.ArgumentParser(prog="model_mutants", usage=usage)
    for name, kind in {"block": str, "count": int, "results": str, "runs": str}.items():
        parser.add_argument(name, type=kind)
    given, tests = parser.parse_known_args()
    main(given.block, given.count, given.results, given.runs, *tests)
