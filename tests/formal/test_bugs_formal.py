# SPDX-License-Identifier: Apache-2.0
"""Bugs planted on purpose, which the proofs must not survive."""

from __future__ import annotations

from pathlib import Path

import pytest

from tilepath.engine.commands.formal import prove
from tilepath.engine.description.proof import proofs_of
from tilepath.engine.description.registry import load_block
from tilepath.tests.planted import changed_rtl
from tilepath.tests.tables import beside

CASES = [
    pytest.param(bug, name, id=f"{bug['what']}: {name}")
    for bug in beside(__file__, "planted")["bug"]
    for name in bug["proofs"]
]


@pytest.mark.parametrize(("bug", "name"), CASES)
def test_the_proof_fails(bug: dict[str, str], name: str, tmp_path: Path) -> None:
    block = bug["block"]
    (proof,) = (proof for proof in proofs_of(block) if proof.name == name)
    root = changed_rtl(tmp_path / "root", block, [(bug["file"], bug["old"], bug["new"])])
    # the middle one of a queue's depths: of two words none can change places
    case = proof.cases[len(proof.cases) // 2 if name == "queue" else 0]
    verdict = prove(load_block(block), proof, case, tmp_path / "proof", print, root)
    assert f"({proof.top}.sv) " in verdict.problem
    assert verdict.waves is not None and "$enddefinitions" in verdict.waves.read_text()
    if name == "reset":
        assert "from reset: " in verdict.problem
