# SPDX-License-Identifier: Apache-2.0
"""``tilepath trace`` and ``account``: what a run recorded, or the model tells, as tables."""

from __future__ import annotations

import csv
import os
import sys
from pathlib import Path

import numpy as np
import pytest
from pyarrow import parquet

from tilepath.engine.checking.tables import table
from tilepath.engine.description.registry import load_block
from tilepath.engine.description.stream import FILLER, MARKER
from tilepath.isa import encode
from tilepath.tb.adc.block import BLOCK
from tilepath.tests.cli.fakes import invoke, printed
from tilepath.tests.cli.files import CASES, stored
from tilepath.tests.commands import refused
from tilepath.tests.coverage_runs import streams
from tilepath.tests.engine.fakes import encode as as_trace

ADC = load_block("adc")


@pytest.fixture
def run_dir(tmp_path: Path) -> Path:
    """A run of the address counters that was killed: no outcome, and a record is cut off."""
    folder = stored(tmp_path, ("adc", "counters", 1), "")
    (folder / "trace").mkdir()
    for name, stream in ADC.stream_table.items():
        records = np.zeros(5, stream.dtype)
        records["cycle"] = (3, 70, MARKER, FILLER, 150)
        if name == "flop":
            records["select"], records["value"] = 1, 0x3FFFF
        (folder / "trace" / f"{name}.bin").write_bytes(records.tobytes() + b"cut")
    return folder


@pytest.fixture
def accounted(tmp_path: Path) -> Path:
    """A run of two blocks of cycles, in which two words meet at a counter."""
    folder = stored(tmp_path, ("adc", "random", 1), "", ends=[10, 20], cycles=20)
    (folder / "trace").mkdir()
    word = encode("incadcxy", target=1, x0_inc=3)
    over = encode("incadcxy", target=1, x0_inc=1, thread_override=1)
    seen = streams(BLOCK.stream_table, t0_issue=[(3, word), (12, word)], t1_issue=[(12, over)])
    for name, stream in BLOCK.stream_table.items():
        first = seen[name][seen[name]["cycle"] < 10]
        rest = seen[name][seen[name]["cycle"] >= 10]
        data = as_trace(stream, first) + as_trace(stream, rest, len(first))
        (folder / "trace" / f"{name}.bin").write_bytes(data)
    return folder


def rows(text: str) -> list[list[str]]:
    return [line.split() for line in text.splitlines()]


def test_without_a_stream_all_are_listed(run_dir: Path) -> None:
    listed = {row[0]: row[1:] for row in rows(printed("trace", run_dir))[1:]}
    assert set(listed) == set(ADC.stream_table)
    assert listed["flop"][:5] == ["input", "event", "3", "3", "150"]
    assert listed["t0.packers"][:3] == ["output", "level", "3"]


def test_fields_are_taken_apart(run_dir: Path) -> None:
    head, *body = rows(invoke("trace", run_dir, "flop").stdout)
    assert [row[0] for row in body] == ["3", "70", "150"]
    named = dict(zip(head, body[0], strict=True))
    assert (named["select"], named["select.name"]) == ("1", "unpacker1")
    assert named["value"] == "0x3ffff"
    head = rows(invoke("trace", run_dir, "pack").stdout)[0]
    assert {"sets", "sets.set0", "addr_mod.YsrcIncr"} <= set(head)


def test_cycles_can_be_chosen(run_dir: Path) -> None:
    body = rows(invoke("trace", run_dir, "flop", "--from", 4, "--to", 70).stdout)[1:]
    assert [row[0] for row in body] == ["70"]
    assert len(rows(invoke("trace", run_dir, "flop", "--from", 999).stdout)) == 1


def test_export(run_dir: Path, tmp_path: Path) -> None:
    text, binary = tmp_path / "flop.csv", tmp_path / "flop.npz"
    for path in (text, binary):
        said = printed("trace", run_dir, "flop", "--out", path)
        assert f"wrote {path}: 3 records of flop" in said
    with text.open() as file:
        listed = list(csv.DictReader(file))
    assert [(row["cycle"], row["select.name"]) for row in listed] == [
        (cycle, "unpacker1") for cycle in ("3", "70", "150")
    ]
    with np.load(binary) as kept:  # no pickles: it can be loaded by anybody
        assert kept["value"].tolist() == [0x3FFFF] * 3
        assert list(kept) == list(listed[0])


@pytest.mark.parametrize(("command", "arguments", "why"), CASES["shown"])
def test_bad_input_is_one_line(
    run_dir: Path, accounted: Path, command: str, arguments: str, why: str
) -> None:
    folder = {"trace": run_dir, "account": accounted}[command]
    refused(invoke(command, folder, *arguments.split()), why)


def test_a_trace_that_is_no_file(run_dir: Path) -> None:
    (run_dir / "trace" / "flop.bin").unlink()
    assert "No such file" in invoke("trace", run_dir, "flop").stderr
    os.mkfifo(run_dir / "trace" / "flop.bin")
    for stream in ("flop", None):
        result = invoke("trace", run_dir, *filter(None, [stream]))
        assert result.exit_code == 2 and "it is a FIFO" in result.stderr
    assert invoke("trace", run_dir.parent).exit_code == 2


@pytest.mark.parametrize("block", ["control", "flag_pipe", "frontend", "pack", "unpack"])
def test_every_stream_of_every_block_is_a_table(block: str) -> None:
    described = load_block(block)
    for name, stream in described.stream_table.items():
        records = np.zeros(2, stream.dtype)
        for field in stream.fields:
            if field.count == 1 and field.words > 2:
                records[field.name][:, 0] = 5
        columns = table(described, name, records)
        assert all(len(values) == 2 for values in columns.values())
        for field in stream.fields:
            title = field.name if field.count == 1 else f"{field.name}[0]"
            values = columns[title]
            if field.count == 1 and field.words > 2:
                assert int(values[0], 16) == 5 and len(values[0]) == -(-field.width // 4)


def test_kinds_are_listed(accounted: Path) -> None:
    lines = invoke("account", accounted).stdout.splitlines()
    found = {line.split()[0]: line.split()[1:] for line in lines[1:]}
    assert found["word"][:3] == ["3", "3", "12"] and found["flop"][0] == "0"
    assert found["touch"][0] == "3" and "touched," in found["touch"]


def test_rows_are_printed_and_written(accounted: Path, tmp_path: Path) -> None:
    head, *body = rows(printed("account", accounted, "touch"))
    found = [dict(zip(head, row, strict=True)) for row in body]
    assert [(row["cycle"], row["touched.amount"], row["live"]) for row in found] == [
        ("3", "3", "0"), ("12", "3", "3"), ("12", "1", "3"),
    ]  # fmt: skip
    assert [(row["number"], row["last"]) for row in found[1:]] == [("0", "0"), ("1", "1")]
    for name in ("touch.csv", "touch.npz", "touch.parquet"):
        result = invoke("account", accounted, "touch", "--out", tmp_path / name)
        assert result.stdout == f"wrote {tmp_path / name}: 3 rows of touch\n"
    with (tmp_path / "touch.csv").open() as file:
        assert list(csv.DictReader(file)) == found
    assert np.load(tmp_path / "touch.npz")["touched.amount"].tolist() == [3, 3, 1]
    table = parquet.read_table(tmp_path / "touch.parquet")
    amount = table["touched.amount"]
    assert amount.to_pylist() == [3, 3, 1] and str(amount.type) == "uint32"


def test_parquet_without_what_writes_it(
    accounted: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    result = invoke("account", accounted, "touch", "--out", tmp_path / "touch.parquet")
    refused(result, "a .parquet file needs pyarrow: pip install 'tilepath[parquet]'")
    assert not (tmp_path / "touch.parquet").exists()


def test_runs_without_an_account(accounted: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    refused(invoke("account", accounted.parent), "is not the directory of a run")
    monkeypatch.setattr("tilepath.engine.checking.stored.LeavesAccount", int)
    refused(invoke("account", accounted), "the model of adc leaves no account")
    (accounted / "outcome.json").unlink()
    refused(invoke("account", accounted), "holds no run that came to an end")


def test_damaged_traces_are_named(accounted: Path) -> None:
    path = accounted / "trace" / "flop.bin"
    path.write_bytes(path.read_bytes()[:-4])
    refused(invoke("account", accounted), "flop.bin")
