# SPDX-License-Identifier: Apache-2.0
"""``tilepath formal``: run the proofs of the blocks, say what is proved and what is not."""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

from tilepath.engine.commands.errors import UsageError
from tilepath.engine.commands.given import check_block
from tilepath.engine.commands.processes import signals_raise
from tilepath.engine.commands.prover import ProofError, Verdict, check_tools, label_of, prove
from tilepath.engine.commands.report import make_console, table_of
from tilepath.engine.description.block import ROOT
from tilepath.engine.description.proof import Proof, blocks_with_proofs, proofs_of
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
