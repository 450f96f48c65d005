# SPDX-License-Identifier: Apache-2.0
"""Bugs planted on purpose, which the proofs must not survive."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from tilepath.engine.commands.formal import prove
from tilepath.engine.description.proof import proofs_of
from tilepath.engine.description.registry import load_block
from tilepath.tests.planted import changed_rtl


@dataclass(frozen=True)
class Planted:
    """A bug: what is wrong, where (file, old, new), and which proofs must fail."""

    what: str
    block: str
    proofs: tuple[str, ...]
    file: str
    old: str
    new: str


_FLAGS = ("flags", "reset")
BUGS = (
    Planted("WAIT does not clear", "flag_pipe", _FLAGS,
            "flag_bank.sv", "(flags_q & ~consumed) | arrives", "flags_q | arrives"),
    Planted("TFREE is not guarded", "flag_pipe", _FLAGS,
            "pipe_check.sv", "cmd_i.op == Tfree && endpoint_i.held == '0 ?", "1'b0 ?"),
    Planted("a second TPOP is not guarded", "flag_pipe", _FLAGS,
            "pipe_check.sv", "pop && endpoint_i.held == limit ?", "1'b0 ?"),
    Planted("a second INIT is not refused", "flag_pipe", _FLAGS,
            "pipe_check.sv", "reinit ? Reinit : bad_mask", "bad_mask"),
    Planted("both directions share the lower flags", "flag_pipe", _FLAGS,
            "pipe_core.sv", "v2c && mask == 2'd3;", "1'b0;"),
    Planted("INIT SETs one flag too few", "flag_pipe", ("flags",),
            "pipe_core.sv", "mask != 2'd3 ? '1 :", "mask != 2'd3 ? '1 << 1 :"),
    Planted("tags wrap at all flags in mask 3", "flag_pipe", ("flags",),
            "pipe_endpoint.sv", "mask_q == 2'd3 ? LastOfAll >> 1 : LastOfAll", "LastOfAll"),
    Planted("a word is overwritten", "frontend", ("queue", "pass"),
            "fe_queue.sv", "wptr_q <= wptr_q + 1'b1;", "if (!pop) wptr_q <= wptr_q + 1'b1;"),
    Planted("a word is read twice", "frontend", ("queue",),
            "fe_queue.sv", "rptr_q <= rptr_q + 1'b1;", "if (!push) rptr_q <= rptr_q + 1'b1;"),
    Planted("words change places", "frontend", ("queue",),
            "fe_queue.sv", "data_q[wptr_q] <= write_i.word;", "data_q[~wptr_q] <= write_i.word;"),
    Planted("a word gets lost when M is full", "frontend", ("pass",),
            "mop_expander.sv", "(is_mop && empty) || emit_ready_i);", "!is_mop || emit_ready_i);"),
    Planted("a word gets lost when R is full", "frontend", ("pass", "expand"),
            "replay_expander.sv", "((pass || play_first) &&", "(pass || play_first &&"),
    Planted("words leave the FIFO during an expansion", "frontend", ("expand",),
            "mop_expander.sv", "&& (state_q == Idle ||", "&& (state_q != Trans ||"),
    Planted("a word that is only recorded is executed too", "frontend", ("expand",),
            "replay_expander.sv", "|| (record && exec_q);", "|| record;"),
)  # fmt: skip

CASES = [(bug, proof) for bug in BUGS for proof in bug.proofs]


@pytest.mark.parametrize(("bug", "name"), CASES, ids=[f"{b.what}: {p}" for b, p in CASES])
def test_the_proof_fails(bug: Planted, name: str, tmp_path: Path) -> None:
    (proof,) = (proof for proof in proofs_of(bug.block) if proof.name == name)
    root = changed_rtl(tmp_path / "root", bug.block, [(bug.file, bug.old, bug.new)])
    # the middle one of a queue's depths: of two words none can change places
    case = proof.cases[len(proof.cases) // 2 if name == "queue" else 0]
    verdict = prove(load_block(bug.block), proof, case, tmp_path / "proof", print, root)
    assert f"({proof.top}.sv) " in verdict.problem
    assert verdict.waves is not None and "$enddefinitions" in verdict.waves.read_text()
    if name == "reset":
        assert "from reset: " in verdict.problem
