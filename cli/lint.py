# SPDX-License-Identifier: Apache-2.0
"""``make lint``: every static check, one line each; ``--rules``: the rules of this house alone."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from pathlib import Path

from tilepath.cli.budget import budget_problems
from tilepath.cli.houserules import (
    citation_problems,
    import_problems,
    long_lines,
    missing_spdx,
    row_problems,
    source_files,
    z_problems,
)
from tilepath.engine.commands.corners import problems as corner_problems
from tilepath.engine.commands.errors import UsageError
from tilepath.engine.commands.planted import bug_problems
from tilepath.engine.description.block import ROOT, Block
from tilepath.engine.description.registry import block_names, declared_coverage, load_block
from tilepath.engine.description.taps import error_in_taps
from tilepath.engine.host.build import BuildOptions, sources_of, write_sources
from tilepath.engine.host.verilator import SimulatorMissing, for_verilator, verilator_path

TYPED = ("engine", "isa", "models", "tb", "cli")
_SHOWN = 60  # lines of each check's complaints
CODE = ("engine", "isa", "models", "tb", "sequences", "tests", "cli")


@dataclass(frozen=True)
class Step:
    """One check: a title, and a function that returns what is wrong (nothing: all is well)."""

    title: str
    check: Callable[[], str]


def _command(*arguments: str | Path, env: Mapping[str, str] | None = None) -> Callable[[], str]:
    """A check that runs a program and fails when it exits with another status than 0."""

    def check() -> str:
        done = subprocess.run(
            [str(argument) for argument in arguments],
            cwd=ROOT,
            env=env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        if done.returncode == 0:
            return ""
        return done.stdout.strip() or f"{arguments[0]} exited with {done.returncode}"

    return check


def _python(*arguments: str) -> Callable[[], str]:
    return _command(sys.executable, "-m", *arguments)


def _typed() -> str:
    """Types, of the folders as parts of the package: mypy knows nothing of editable installs."""
    view = ROOT / "build" / "types" / "tilepath"
    view.mkdir(parents=True, exist_ok=True)
    for name in ("__init__.py", *TYPED, "sequences"):  # of which cli imports the tables
        link = view / name
        if not link.is_symlink():
            link.symlink_to(ROOT / name)
    packages = [argument for name in TYPED for argument in ("-p", f"tilepath.{name}")]
    environment = {**os.environ, "MYPYPATH": str(view.parent)}
    return _command(sys.executable, "-m", "mypy", "--strict", *packages, env=environment)()


def _lines(find: Callable[[], Iterable[str]]) -> Callable[[], str]:
    return lambda: "\n".join(find())


def plan_problems(block: Block) -> Iterator[str]:
    """What coverage plans of a block name that the records of its model do not have."""
    for profile in block.profiles:
        try:
            declared_coverage(block, profile)
        except ValueError as error:
            yield str(error)


def account_problems() -> Iterator[str]:
    """What models set in rows of their accounts that these do not have."""
    for block in sorted(path.parent for path in ROOT.glob("models/*/account.py")):
        kinds = import_module(f"tilepath.models.{block.name}.account").KINDS
        fields = {kind: described.names for kind, described in kinds.items()}
        for path in sorted(block.glob("*account*.py")):
            yield from row_problems(path, fields, ROOT)


def _rtl_steps(block: Block) -> list[Step]:
    """Both simulators' opinion of a block's RTL, with the parameters of every profile."""
    if not block.dut:  # joined from others, which are checked by themselves
        return []
    sources = block.rtl_sources()
    found = for_verilator(os.environ)
    steps: list[Step] = []
    for profile in block.profiles:
        values = dict(block.parameters(profile))
        name = f"{block.name}, {profile}"
        verilator: list[str | Path] = [
            *(verilator_path(), "--lint-only", "-Wall", "--top-module", block.dut),
            *(f"-G{key}={value}" for key, value in values.items()),
        ]
        steps.append(Step(f"verilator -Wall: {name}", _command(*verilator, *sources, env=found)))
        if shutil.which("iverilog"):
            icarus: list[str | Path] = [
                *("iverilog", "-g2012", "-t", "null", "-s", block.dut),
                *(f"-P{block.dut}.{key}={value}" for key, value in values.items()),
            ]
            steps.append(Step(f"iverilog: {name}", _command(*icarus, *sources)))
    return steps


def bench_problem(block: Block, root: Path = ROOT) -> str:
    """What Icarus says of a block's bench and its taps, of which the RTL's checks see nothing."""
    with tempfile.TemporaryDirectory() as work:
        try:
            sources = sources_of(block, BuildOptions("icarus", source_root=root))
        except ValueError as error:
            return str(error)
        write_sources(sources, Path(work))
        compiled = [name for name in sources if not name.endswith(".svh")]
        command = ["iverilog", "-g2012", "-t", "null", "-s", block.harness, *compiled]
        done = subprocess.run(command, cwd=work, capture_output=True, text=True, check=False)
    return "" if done.returncode == 0 else error_in_taps(done.stderr) or done.stderr


def rules() -> list[Step]:
    """What no general tool knows of."""
    return [
        Step("SPDX line in every source file", _lines(lambda: missing_spdx(ROOT))),
        Step("direction of imports", _lines(lambda: import_problems(source_files(ROOT), ROOT))),
        Step("no z in a number", _lines(lambda: z_problems(ROOT))),
        Step("cited decisions are written down", _lines(lambda: citation_problems(ROOT))),
        Step("length of lines in documents", _lines(lambda: long_lines(ROOT))),
        Step("lines and files within the budget", _lines(lambda: budget_problems(ROOT))),
        Step("rows of accounts have the fields that models set", _lines(account_problems)),
        Step("planted bugs fit the RTL", _lines(bug_problems)),
        Step("corners are what their seeds were chosen for", _lines(corner_problems)),
    ]


def steps() -> list[Step]:
    """All checks, the quick ones first."""
    code = [name for name in CODE if (ROOT / name).is_dir()]
    found = [
        *rules(),
        Step("ruff check", _python("ruff", "check", "--no-fix", "--output-format=concise", *code)),
        Step("ruff format", _python("ruff", "format", "--check", "--output-format=concise", *code)),
        Step("generated ISA files are fresh", _python("tilepath.isa.generate", "--check")),
        Step("generated pages are fresh", _python("tilepath.cli.errata", "--check")),
        Step("mypy --strict", _typed),
    ]
    blocks = [load_block(name) for name in block_names()]
    plans = _lines(lambda: (line for block in blocks for line in plan_problems(block)))
    found.append(Step("coverage plans name columns that there are", plans))
    for block in blocks:
        found += _rtl_steps(block)
        if shutil.which("iverilog"):
            found.append(Step(f"bench: {block.name}", partial(bench_problem, block)))
    return found


def main(arguments: Sequence[str] = ()) -> int:
    """Run all checks, whatever the earlier ones find; 0 when all is well, else 1."""
    failed = 0
    try:
        todo = rules() if arguments == ["--rules"] else steps()
    except (SimulatorMissing, UsageError, ValueError) as error:
        print(f"lint: {error}", file=sys.stderr)
        return 2
    for step in todo:
        began = time.monotonic()
        problem = step.check()
        seconds = time.monotonic() - began
        print(f"{'FAIL' if problem else 'ok  '}  {step.title} ({seconds:.1f} s)", flush=True)
        if problem:
            failed += 1
            lines = problem.splitlines()
            print("\n".join(f"      {line}" for line in lines[:_SHOWN]), flush=True)
            if len(lines) > _SHOWN:
                print(f"      ... {len(lines) - _SHOWN} more lines", flush=True)
    if not arguments and not shutil.which("iverilog"):
        print("skip  iverilog: not installed")
    print(f"{len(todo)} checks, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
