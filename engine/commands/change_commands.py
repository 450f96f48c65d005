# SPDX-License-Identifier: Apache-2.0
"""Commands for whoever changes a block: a save, what tests would not see, the netlist."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Annotated

import typer

from tilepath.engine.commands import options
from tilepath.engine.commands.options import a_path, named, number, simulator, whole
from tilepath.engine.commands.run_list import SEED_LIMIT

changes = typer.Typer()


@changes.command("watch")
def watch_command(
    block: options.BlockName,
    test: options.TestNames = None,
    sim: Annotated[
        str | None,
        typer.Option(parser=simulator, help="Simulator; default: icarus, which compiles sooner."),
    ] = None,
    profile: options.Profile = "baseline",
    seconds: Annotated[int, number(1, 3600, "Begin no test after so many seconds.")] = 5,
) -> None:
    """Print a line for each save of a file that a block is made of: whether its tests pass."""
    from tilepath.engine.commands.watch import Watched, watch_block

    sim = sim or ("icarus" if shutil.which("iverilog") else "verilator")
    out = Path("runs") / f"watch-{sim}-{profile}"
    name = block.replace("+", "_")
    watch_block(Watched(name, tuple(test or ()), sim, profile, str(out.absolute()), seconds))


@changes.command("mutate")
def mutate_command(
    block: options.BlockName,
    count: Annotated[int, number(1, 100_000, "Number of mutants.")] = 200,
    seed: Annotated[int, number(0, SEED_LIMIT - 1, "What they are drawn from.")] = 1,
    only: Annotated[
        list[int] | None,
        typer.Option(parser=whole(1, 100_000), help="Only this one of them (repeatable)."),
    ] = None,
    kind: Annotated[
        list[str] | None, named("NAME", "Only this kind of change (repeatable).")
    ] = None,
    module: Annotated[str, named("NAME", "In this module only.")] = "",
    profile: options.Profile = "baseline",
    seeds: options.Seeds = None,
    cycles: options.Cycles = None,
    jobs: options.Jobs = None,
    rtl: options.Rtl = None,
    top: options.Top = "",
    out: Annotated[
        Path | None, a_path("Directory of results; default: runs/mutate-<block>…")
    ] = None,
) -> None:
    """Change the RTL of a block in many places, one at a time, and count what its tests find."""
    from tilepath.engine.commands.mutate import Wanted, mutate
    from tilepath.engine.commands.own_rtl.trial import design

    name, numbers, kinds = block.replace("+", "_"), tuple(only or ()), tuple(kind or ())
    words = filter(None, (name, *kinds, module, "only" if only else ""))
    folder = out or Path("runs") / "-".join(("mutate", *words))
    drawn = numbers, kinds, module
    own = design([block], rtl, top, ["verilator"], [profile])
    asked = Wanted(name, count, seed, profile, seeds, cycles, jobs, folder, *drawn, own)
    raise typer.Exit(mutate(asked))


@changes.command("plant")
def plant_command(
    name: Annotated[str, typer.Argument(metavar="NAME", help="A bug, or block/bug.")],
) -> None:
    """Print a bug planted on purpose as a diff of the RTL, for patch -p1 or git apply."""
    from tilepath.engine.commands.planted import find_bug

    bug = find_bug(name)
    print(f"{bug.where}: {bug.what} (breaks {bug.breaks}; try {bug.caught_by} first)")
    print(bug.diff(), end="")


@changes.command("corners")
def corners_command(
    block: Annotated[str, typer.Argument(metavar="BLOCK")],
    profile: options.Profile = "baseline",
    seeds: Annotated[int, number(1, 10_000, "Seeds to play each row with.")] = 10,
    jobs: options.Jobs = None,
    out: Annotated[
        Path | None, a_path("Directory of results; default: runs/corners-<block>.")
    ] = None,
) -> None:
    """Find seeds with which the narrowed random tests of a block hit what they are there for."""
    from tilepath.engine.commands.corners import corners
    from tilepath.engine.commands.jobs import RunOptions

    name = block.replace("+", "_")
    folder = out or Path("runs") / f"corners-{name}"
    plain = RunOptions("verilator", profile, folder, waves=False)
    raise typer.Exit(corners(name, plain, seeds, jobs))


@changes.command("gate")
def gate_command(
    sim: options.Simulator = "verilator",
    block: options.BlockNames = None,
    test: options.TestNames = None,
    tag: options.Tags = None,
    seed: options.Seed = None,
    seeds: options.Seeds = None,
    root_seed: options.RootSeed = None,
    start: options.Start = None,
    profile: options.Profile = "baseline",
    waves: options.Waves = None,
    jobs: options.Jobs = None,
    cycles: options.Cycles = None,
    max_fail: options.MaxFail = None,
    rtl: options.Rtl = None,
    top: options.Top = "",
    out: Annotated[
        Path | None, a_path("Directory of results; default: runs/gate-<sim>-<profile>.")
    ] = None,
) -> None:
    """Run tests of a block on its netlist, too, and compare what that records with the RTL's."""
    from tilepath.engine.commands.gate import GateRunner
    from tilepath.engine.commands.jobs import Extent, RunOptions, run_regression
    from tilepath.engine.commands.own_rtl.trial import design
    from tilepath.engine.commands.run_list import Selection

    if not block:
        raise typer.BadParameter(
            "say of which block, such as flag_pipe: of some it takes long", param_hint="--block"
        )
    folder = out or Path("runs") / f"gate-{sim}-{profile}"
    own = design(block, rtl, top, [sim], [profile])
    asked = RunOptions(sim, profile, folder, cycles, waves, coverage=False, start=start, rtl=own)
    selection = Selection(tuple(block), tuple(test or ()), tuple(tag or ()), seed, seeds, root_seed)
    raise typer.Exit(run_regression(asked, selection, Extent(jobs, max_fail), GateRunner))


@changes.command("formal")
def formal_command(
    block: options.BlockNames = None,
    proof: Annotated[list[str] | None, typer.Option(help="Only this proof (repeatable).")] = None,
    out: Annotated[Path, a_path("Directory of results.")] = Path("runs") / "formal",
) -> None:
    """Prove the assertions of all blocks, or of the ones named, with an SMT solver."""
    from tilepath.engine.commands.formal import run_proofs

    raise typer.Exit(run_proofs(block or (), proof or (), out))


@changes.command("new-block")
def new_block_command(
    name: Annotated[str, typer.Argument(metavar="NAME")],
    top: Annotated[
        Path | None, a_path("A design that there is (.sv, .f or folder): a bench for its ports.")
    ] = None,
    rtl: Annotated[
        list[str] | None,
        named("PATH", "More of that design: a file, a list, a folder to look in (repeatable)."),
    ] = None,
    module: Annotated[str, named("NAME", "Its module, where several are in the file.")] = "",
    param: Annotated[
        list[str] | None, named("NAME=VALUE", "A parameter of it, or a type (repeatable).")
    ] = None,
    define: Annotated[list[str] | None, named("NAME=VALUE", "A macro (repeatable).")] = None,
    clock: Annotated[
        list[str] | None, named("NAME", "A clock (repeatable), where names do not tell; or none.")
    ] = None,
) -> None:
    """Write the smallest block that passes on both simulators, or a bench for a design."""
    from tilepath.engine.commands.new_block import new_block
    from tilepath.engine.commands.new_block.of_ports import Given

    more = (tuple(one or ()) for one in (param, define, clock))
    given = Given(top, tuple(rtl or ()), module, *more) if top else None
    for file in new_block(name, given=given):
        print(f"wrote {file}")
    print(f"now: tilepath run --block {name}")
    print(f"{'engine/README.md' if top else 'docs/add-a-block.md'} says how to go on from there")
