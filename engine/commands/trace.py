# SPDX-License-Identifier: Apache-2.0
"""``tilepath trace`` and ``account``: what a run recorded, or the model tells of it, as tables."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import numpy as np

from tilepath.engine.checking.stored import stored_account
from tilepath.engine.checking.tables import Table, recorded, table
from tilepath.engine.commands import report
from tilepath.engine.commands.errors import UsageError, for_user
from tilepath.engine.commands.given import check_run_dir, read_run
from tilepath.engine.compiled.columns import column, leaves
from tilepath.engine.compiled.records import Records
from tilepath.engine.description.block import Block
from tilepath.engine.description.registry import load_block
from tilepath.engine.errors import there_are
from tilepath.engine.host.files import write_whole
from tilepath.engine.host.request import RunRequest


def show_trace(
    run_dir: Path, stream: str | None, out: Path | None, first: int, last: int | None
) -> None:
    """Print the streams of a run, or the records of one of cycles ``first`` … ``last``.

    ``out``: a file to write them to instead.

    Raises:
        UsageError: no run, no such stream, a trace that cannot be read, another suffix.
    """
    check_run_dir(run_dir)
    with for_user(ValueError):
        block = load_block(RunRequest.from_json(run_dir / "request.json").block)
        if stream is None:
            _show_streams(run_dir, block)
            return
        if stream not in block.stream_table:
            known = there_are(block.stream_table, stream)
            raise UsageError(f"block {block.name} has no stream {stream!r}; {known}")
        records = recorded(run_dir, stream, block.stream_table[stream])
    inside = records["cycle"] >= first
    if last is not None:
        inside &= records["cycle"] <= last
    columns = table(block, stream, records[inside])
    give(columns, out, f"records of {stream}")


def give(columns: Table, out: Path | None, what: str) -> None:
    """Print columns, or write them to a file.

    ``UsageError`` for another suffix, or where what writes such files is not installed.
    """
    if out is None:
        _print(columns)
        return
    if out.suffix not in _WRITTEN:
        raise UsageError(f"{out}: a file ends in {', '.join(_WRITTEN)}")
    write_whole(out, _WRITTEN[out.suffix](columns))
    print(f"wrote {out}: {len(columns['cycle']):,} {what}")


def _show_streams(run_dir: Path, block: Block) -> None:
    figures = (">records", ">first cycle", ">last cycle")
    screen = report.table_of("stream", "direction", "kind", *figures, "fields")
    for name, stream in block.stream_table.items():
        cycles = recorded(run_dir, name, stream)["cycle"]
        ends = (f"{cycles[0]:,}", f"{cycles[-1]:,}") if len(cycles) else ("", "")
        fields = ", ".join(field.name for field in stream.fields)
        screen.add_row(name, stream.direction, stream.kind, f"{len(cycles):,}", *ends, fields)
    report.make_console().print(screen)


def _rows(columns: Table) -> Iterator[tuple[str, ...]]:
    """Titles, then the values: words of more than 16 bits in hexadecimal, which are codes."""
    yield tuple(columns)
    texts = []
    for title, values in columns.items():
        code = values.dtype.kind == "u" and title != "cycle" and (values > 0xFFFF).any()
        texts.append([f"{value:#x}" if code else str(value) for value in values.tolist()])
    yield from zip(*texts, strict=True)


def _print(columns: Table) -> None:
    rows = list(_rows(columns))
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        line = "  ".join(text.ljust(width) for text, width in zip(row, widths, strict=True))
        print(line.rstrip())


def _as_csv(columns: Table) -> bytes:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(_rows(columns))
    return text.getvalue().encode()


def _as_npz(columns: Table) -> bytes:
    data = io.BytesIO()
    np.savez_compressed(data, allow_pickle=False, **columns)
    return data.getvalue()


def _as_parquet(columns: Table) -> bytes:
    try:
        pyarrow, parquet = map(import_module, ("pyarrow", "pyarrow.parquet"))
    except ImportError:
        raise UsageError("a .parquet file needs pyarrow: pip install 'tilepath[parquet]'") from None
    data = io.BytesIO()
    parquet.write_table(pyarrow.table(dict(columns)), data)
    return data.getvalue()


_WRITTEN = {".csv": _as_csv, ".npz": _as_npz, ".parquet": _as_parquet}


def show_account(run_dir: Path, kind: str | None, out: Path | None) -> None:
    """Print the kinds of rows, or the rows of one kind; ``out``: a file to write them to instead.

    Raises:
        UsageError: no run that kept its traces, a block whose model leaves no account, no such
            kind, another suffix.
    """
    if out is not None and kind is None:
        raise UsageError(f"{out}: say which kind of rows is to be written")
    _, _, account, _ = read_run(stored_account, run_dir)
    if kind is None:
        _show_kinds(account)
        return
    if kind not in account:
        raise UsageError(f"the account has no {kind!r}; there are: {', '.join(account)}")
    give(_columns(account[kind]), out, f"rows of {kind}")


def _columns(rows: Records) -> Table:
    """A column a field; of an array one for each of its elements."""
    found: dict[str, Records] = {}
    for path in leaves(rows.dtype):
        values = column(rows, path)
        if values.ndim == 1:
            found[path] = values
        else:
            found |= {f"{path}.{k}": values[:, k] for k in range(values.shape[1])}
    return found


def _show_kinds(account: dict[str, Records]) -> None:
    screen = report.table_of("kind", ">rows", ">first cycle", ">last cycle", "columns")
    for kind, rows in account.items():
        ends = (f"{rows['cycle'][0]:,}", f"{rows['cycle'][-1]:,}") if len(rows) else ("", "")
        screen.add_row(kind, f"{len(rows):,}", *ends, ", ".join(rows.dtype.names or ()))
    report.make_console().print(screen)
