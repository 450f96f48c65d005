# SPDX-License-Identifier: Apache-2.0
"""Every block's proofs, as ``make formal`` runs them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from tilepath.cli.prover import label_of, prove
from tilepath.tb.kernel.description.proof import Proof, blocks_with_proofs, proofs_of
from tilepath.tb.kernel.description.registry import load_block

ALL = [
    (name, proof, case)
    for name in blocks_with_proofs()
    for proof in proofs_of(name)
    for case in proof.cases
]


@pytest.mark.parametrize(("block", "proof", "case"), ALL, ids=[label_of(*one) for one in ALL])
def test_it_is_proved(block: str, proof: Proof, case: Mapping[str, int], tmp_path: Path) -> None:
    verdict = prove(load_block(block), proof, case, tmp_path / "proof", print)
    assert verdict.problem == ""
