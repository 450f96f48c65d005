# SPDX-License-Identifier: Apache-2.0
"""``tilepath account``: what the model tells of a stored run, printed and exported."""

from __future__ import annotations

import csv
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from pyarrow import parquet

from tilepath.isa import encode
from tilepath.tests.adc.helpers import TABLE
from tilepath.tests.cli.fakes import invoke
from tilepath.tests.cli.files import stored
from tilepath.tests.commands import refused
from tilepath.tests.coverage_runs import streams
from tilepath.tests.engine.fakes import encode as as_trace


@pytest.fixture
def run_dir(tmp_path: Path) -> Path:
    """A run of two blocks of cycles, in which two words meet at a counter."""
    folder = stored(tmp_path, ("adc", "random", 1), "", ends=[10, 20], cycles=20)
    (folder / "trace").mkdir()
    word = encode("incadcxy", target=1, x0_inc=3)
    over = encode("incadcxy", target=1, x0_inc=1, thread_override=1)
    seen = streams(TABLE, t0_issue=[(3, word), (12, word)], t1_issue=[(12, over)])
    for name, stream in TABLE.items():
        first = seen[name][seen[name]["cycle"] < 10]
        rest = seen[name][seen[name]["cycle"] >= 10]
        data = as_trace(stream, first) + as_trace(stream, rest, len(first))
        (folder / "trace" / f"{name}.bin").write_bytes(data)
    return folder


def test_kinds_are_listed(run_dir: Path) -> None:
    lines = invoke("account", run_dir).stdout.splitlines()
    found = {line.split()[0]: line.split()[1:] for line in lines[1:]}
    assert found["word"][:3] == ["3", "3", "12"] and found["flop"][0] == "0"
    assert found["touch"][0] == "3" and "touched," in found["touch"]


def test_rows_are_printed_and_written(run_dir: Path, tmp_path: Path) -> None:
    head, *body = (line.split() for line in invoke("account", run_dir, "touch").stdout.splitlines())
    rows = [dict(zip(head, row, strict=True)) for row in body]
    assert [(row["cycle"], row["touched.amount"], row["live"]) for row in rows] == [
        ("3", "3", "0"), ("12", "3", "3"), ("12", "1", "3"),
    ]  # fmt: skip
    assert [(row["number"], row["last"]) for row in rows[1:]] == [("0", "0"), ("1", "1")]
    for name in ("touch.csv", "touch.npz", "touch.parquet"):
        result = invoke("account", run_dir, "touch", "--out", tmp_path / name)
        assert result.stdout == f"wrote {tmp_path / name}: 3 rows of touch\n"
    with (tmp_path / "touch.csv").open() as file:
        assert list(csv.DictReader(file)) == rows
    assert np.load(tmp_path / "touch.npz")["touched.amount"].tolist() == [3, 3, 1]
    table = parquet.read_table(tmp_path / "touch.parquet")
    amount = table["touched.amount"]
    assert amount.to_pylist() == [3, 3, 1] and str(amount.type) == "uint32"


def test_parquet_without_what_writes_it(
    run_dir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    result = invoke("account", run_dir, "touch", "--out", tmp_path / "touch.parquet")
    refused(result, "a .parquet file needs pyarrow: pip install 'tilepath[parquet]'")
    assert not (tmp_path / "touch.parquet").exists()


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("nothing",), "the account has no 'nothing'; there are: word, unpack"),
        (("touch", "--out", "touch.txt"), "touch.txt: a file ends in .csv, .npz, .parquet"),
        (("touch", "--out", "/nowhere/touch.csv"), "/nowhere/touch.csv"),
        (("--out", "all.csv"), "say which kind of rows is to be written"),
    ],
)
def test_what_cannot_be_shown(run_dir: Path, arguments: Sequence[str], says: str) -> None:
    refused(invoke("account", run_dir, *arguments), says)


def test_runs_without_an_account(run_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    refused(invoke("account", run_dir.parent), "is not the directory of a run")
    monkeypatch.setattr("tilepath.engine.checking.stored.LeavesAccount", int)
    refused(invoke("account", run_dir), "the model of adc leaves no account")
    (run_dir / "outcome.json").unlink()
    refused(invoke("account", run_dir), "holds no run that came to an end")


def test_damaged_traces_are_named(run_dir: Path) -> None:
    path = run_dir / "trace" / "flop.bin"
    path.write_bytes(path.read_bytes()[:-4])
    refused(invoke("account", run_dir), "flop.bin")
