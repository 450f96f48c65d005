# SPDX-License-Identifier: Apache-2.0
"""The proofs: what is told when one fails, what is refused, and bugs that none may survive."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tilepath.engine.commands import formal
from tilepath.engine.commands.formal import ProofError, Verdict, prove
from tilepath.engine.description.proof import (
    Proof,
    blocks_with_proofs,
    folder_of,
    in_words,
    proofs_of,
)
from tilepath.engine.description.registry import load_block
from tilepath.tests.cli.fakes import invoke
from tilepath.tests.commands import refused
from tilepath.tests.planted import changed_rtl
from tilepath.tests.tables import beside

COUNTER = """
module toy #(parameter int Limit = 3) (input wire logic clk_i, input wire logic up_i);
  logic [3:0] count = 4'd0;
  always_ff @(posedge clk_i) if (up_i && count != 4'd5) count <= count + 4'd1;
  always_comb begin
    // it never gets
    // beyond the limit
    low: assert (count <= 4'(Limit));
    // it gets to six
    six: cover (count == 4'd6);
  end
endmodule
"""


class Toy:
    """A block without RTL."""

    name = "toy"

    def rtl_sources(self, _root: Path) -> list[Path]:
        """None."""
        return []


@pytest.fixture
def toy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the toy's proof."""
    (tmp_path / "toy.sv").write_text(COUNTER)
    monkeypatch.setattr(formal, "folder_of", lambda _block: tmp_path)
    return tmp_path


def _prove(folder: Path, limit: int, steps: int, **options: Any) -> Verdict:
    proof = Proof("count", "toy", "it counts", steps, **options)
    block: Any = Toy()
    return prove(block, proof, {"Limit": limit}, folder / "out", lambda _text: None)


def test_what_holds_is_proved(toy: Path) -> None:
    assert _prove(toy, 5, 3, induction=1).problem == ""


def test_a_counterexample_is_told_in_words(toy: Path) -> None:
    found = _prove(toy, 3, 8)
    assert found.problem == (
        "low (toy.sv) fails in step 4 from reset: it never gets beyond the limit"
    )
    assert found.waves == toy / "out" / "counterexample.vcd"


def test_a_step_that_does_not_hold_is_told(toy: Path) -> None:
    found = _prove(toy, 7, 3, induction=1)
    assert "low (toy.sv) is not kept by the next step after 1" in found.problem
    assert found.waves is not None


def test_a_cover_point_that_is_not_reached_is_told(toy: Path) -> None:
    found = _prove(toy, 9, 2, reach=9)
    assert found.problem == "six (toy.sv) is not reached within 9 steps: it gets to six"


def test_what_yosys_does_not_accept_is_no_verdict(toy: Path) -> None:
    (toy / "toy.sv").write_text("module toy (input wire logic clk_i); nonsense endmodule\n")
    with pytest.raises(ProofError, match=r"toy\.sv.*yosys\.log"):
        _prove(toy, 5, 3)


def test_an_induction_needs_a_base() -> None:
    with pytest.raises(ValueError, match="no base"):
        Proof("count", "toy", "it counts", steps=2, induction=2)


def test_every_assertion_says_what_it_claims() -> None:
    for block in blocks_with_proofs():
        for proof in proofs_of(block):
            words = in_words((folder_of(block) / f"{proof.top}.sv").read_text())
            assert words, proof.name
            assert all(words.values()), words


def test_a_missing_solver_is_one_line(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(formal, "SOLVER", "no-such-solver")
    line = refused(invoke("formal", "--out", tmp_path))
    assert line == "tilepath: proofs need no-such-solver: pip install 'tilepath[formal]'"


def test_the_status_tells_whether_all_is_proved(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    waves = tmp_path / "counterexample.vcd"
    for verdict, status in ((Verdict("x", 1.0), 0), (Verdict("x", 1.0, "low fails", waves), 1)):
        monkeypatch.setattr(formal, "prove", lambda *_, verdict=verdict: verdict)
        result = invoke("formal", "--proof", "queue", "--out", tmp_path)
        assert result.exit_code == status
        assert f"{3 * (1 - status)} proved, {3 * status} failed" in result.stdout
        assert (str(waves) in result.stderr) == bool(status)
        assert ("low fails" in result.stderr) == bool(status)


# -- bugs planted on purpose


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
