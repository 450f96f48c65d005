# SPDX-License-Identifier: Apache-2.0
"""Commands for whoever changes a block: what a save did, what its tests would not see."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Annotated

import typer

from tilepath.cli.options import Profile, TestNames, simulator, whole

changes = typer.Typer()


@changes.command("watch")
def watch_command(
    block: Annotated[str, typer.Option(metavar="NAME", help="The block.")],
    test: TestNames = None,
    sim: Annotated[
        str | None,
        typer.Option(parser=simulator, help="Simulator; default: icarus, which compiles sooner."),
    ] = None,
    profile: Profile = "baseline",
    seconds: Annotated[
        int, typer.Option(parser=whole(1, 3600), help="Begin no test after so many seconds.")
    ] = 5,
) -> None:
    """Print a line for each save of a file that a block is made of: whether its tests pass."""
    from tilepath.cli.watch import Watched, watch_block

    sim = sim or ("icarus" if shutil.which("iverilog") else "verilator")
    out = Path("runs") / f"watch-{sim}-{profile}"
    name = block.replace("+", "_")
    watch_block(Watched(name, tuple(test or ()), sim, profile, str(out.absolute()), seconds))
