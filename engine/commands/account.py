# SPDX-License-Identifier: Apache-2.0
"""What ``tilepath account`` does: prints or exports what the model tells of a stored run."""

from __future__ import annotations

from pathlib import Path

from tilepath.engine.checking.stored import stored_account
from tilepath.engine.checking.tables import Table
from tilepath.engine.commands import report
from tilepath.engine.commands.errors import UsageError
from tilepath.engine.commands.given import read_run
from tilepath.engine.commands.trace import give
from tilepath.engine.compiled.columns import column, leaves
from tilepath.engine.compiled.records import Records


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
