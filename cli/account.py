# SPDX-License-Identifier: Apache-2.0
"""What ``tilepath account`` does: prints or exports what the model tells of a stored run."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from rich.table import Table as Screen

from tilepath.cli import report
from tilepath.cli.errors import UsageError
from tilepath.cli.trace import give
from tilepath.models.account import LeavesAccount
from tilepath.models.records import Records
from tilepath.tb.kernel.checking.stored import stored_run
from tilepath.tb.kernel.checking.tables import Table
from tilepath.tb.kernel.checking.trace import TraceError, stored_blocks
from tilepath.tb.kernel.description.registry import load_block


def show_account(run_dir: Path, kind: str | None, out: Path | None) -> None:
    """Print the kinds of rows, or the rows of one kind; ``out``: a file to write them to instead.

    Raises:
        UsageError: no run that kept its traces, a block whose model leaves no account, no such
            kind, another suffix.
    """
    if not (run_dir / "request.json").is_file():
        raise UsageError(f"{run_dir} is not the directory of a run")
    if out is not None and kind is None:
        raise UsageError(f"{out}: say which kind of rows is to be written")
    try:
        account = account_of(run_dir)
    except (ValueError, TraceError) as error:
        raise UsageError(str(error)) from None
    if kind is None:
        _show_kinds(account)
        return
    if kind not in account:
        raise UsageError(f"the account has no {kind!r}; there are: {', '.join(account)}")
    give(_columns(account[kind]), out, f"rows of {kind}")


def account_of(run_dir: Path) -> dict[str, Records]:
    """Kind → its rows by cycle, as the present model tells them of the recorded inputs.

    Raises ``ValueError`` as ``stored_run`` does, and for a model that leaves none.
    """
    request, ends = stored_run(run_dir)
    block = load_block(request.block)
    model = block.model(request.profile)
    if not isinstance(model, LeavesAccount):
        raise ValueError(f"the model of {block.name} leaves no account")
    model.keep_account()
    parts: dict[str, list[Records]] = {}
    for part in stored_blocks(run_dir / "trace", block.stream_table, ends):
        model.step({name: part.streams[name] for name in block.inputs}, part.end)
        for one in model.account:
            for kind, rows in one.items():
                parts.setdefault(kind, []).append(rows.copy())
    whole = {kind: np.concatenate(some) for kind, some in parts.items()}
    return {kind: rows[np.argsort(rows["cycle"], kind="stable")] for kind, rows in whole.items()}


def _columns(rows: Records) -> Table:
    """A column a field; of an array one for each of its elements."""
    found: dict[str, Records] = {}
    for name in rows.dtype.names or ():
        if rows[name].ndim == 1:
            found[name] = rows[name]
        else:
            found |= {f"{name}.{k}": rows[name][:, k] for k in range(rows[name].shape[1])}
    return found


def _show_kinds(account: dict[str, Records]) -> None:
    screen = Screen("kind", box=None, pad_edge=False, header_style="bold")
    for title in ("rows", "first cycle", "last cycle"):
        screen.add_column(title, justify="right")
    screen.add_column("columns")
    for kind, rows in account.items():
        ends = (f"{rows['cycle'][0]:,}", f"{rows['cycle'][-1]:,}") if len(rows) else ("", "")
        screen.add_row(kind, f"{len(rows):,}", *ends, ", ".join(rows.dtype.names or ()))
    report.make_console().print(screen)
