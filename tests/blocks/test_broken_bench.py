# SPDX-License-Identifier: Apache-2.0
"""A bench broken on purpose: an ordinary run of each block must notice it, and say what is wrong.

The HDL half is changed for these runs only: players that lose or repeat one item in 64, and
recorders that lose one record in 64, architectural state that is read wrongly.
"""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any, Final

import pytest

from tilepath.engine.description.block import ROOT, Block
from tilepath.engine.description.registry import load_block
from tilepath.engine.host.run import RunRequest, RunResult, run
from tilepath.engine.host.waves import make_waves
from tilepath.tests.cosim_runs import SMALL as SIM

RUNS: Final = {
    "adc": "random_default",
    "frontend": "random_default",
    "control": "random_default",
    "frontend_control": "random_default",
    "unpack": "random_default",
}
"""Block → a test that is legal and long enough for each player to play some 64 items.

The packers' players and recorders are the same modules, but Icarus takes minutes to get so far.
"""

BROKEN: Final[dict[str, Any]] = tomllib.loads(
    Path(__file__).with_name("broken_bench.toml").read_text()
)


def broken_run(
    block: str,
    test: str,
    what: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    **options: Any,
) -> RunResult:
    """A run of ``test`` with that part of the bench broken; ``options``: of the request."""
    name = BROKEN[what]["file"]
    text = (ROOT / "engine" / "hdl" / name).read_text()
    for old, new in BROKEN[what]["edits"]:
        assert old in text
        text = text.replace(old, new)
    changed = tmp_path / name
    changed.write_text(text)
    usual = Block.harness_sources

    def sources(described: Block, root: Path = ROOT) -> list[Path]:
        return [changed if path.name == name else path for path in usual(described, root)]

    monkeypatch.setattr(Block, "harness_sources", sources)
    folders = {"out_dir": tmp_path / "runs", "build_root": tmp_path / "build"}
    more: dict[str, Any] = {"block_cycles": 1024, **folders, **options}
    return run(RunRequest(block, test, 1, SIM, coverage=False, **more))


@pytest.mark.parametrize(
    ("block", "what"),
    [(b, w) for b in RUNS for w in BROKEN if w != "state_wrong" or load_block(b).state],
)
def test_each_block_notices(
    block: str, what: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    result = broken_run(block, RUNS[block], what, tmp_path, monkeypatch)
    assert result.status == "fail", result.message
    assert result.report is not None
    report = result.report.read_text()
    if what == "state_wrong":
        assert report.startswith("STATE ")
        assert "not that of the cycle-exact model" in result.message
    elif what == "record_lost":
        # which of its inputs the model missed first decides what is seen first
        assert report.startswith(("MISMATCH ", "STIMULUS "))
        assert "as it was sent" in report or report.startswith("STIMULUS ")
    else:
        assert report.startswith("STIMULUS "), report
        assert "item" in result.message


def test_waves_of_what_is_found_at_the_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The end of a finite test depends on the length of the blocks: they stay as they are."""
    result = broken_run("adc", "vectors", "state_wrong", tmp_path, monkeypatch, block_cycles=None)
    assert result.report is not None and result.report.read_text().startswith("STATE ")
    waves = make_waves(result.run_dir, lambda _: None)
    assert waves is not None and waves.exists()


@pytest.mark.parametrize("test", ["matmul", "random_busy"])
def test_lost_items_that_used_to_pass(
    test: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    result = broken_run("frontend", test, "item_lost", tmp_path, monkeypatch)
    # a level player that loses long items runs out of them within the block of cycles
    assert result.status in ("fail", "error")
    assert ".core" in result.message or "is missing: no end of stimulus" in result.message
