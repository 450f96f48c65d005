# SPDX-License-Identifier: Apache-2.0
"""The engine's commands as they are typed: of whoever changes a block, and of regressions."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Annotated

import typer

from tilepath.engine.commands import options
from tilepath.engine.commands.one_line import only_json
from tilepath.engine.commands.options import (
    OUT,
    SEED_LIMIT,
    a_path,
    budget,
    flag,
    named,
    number,
    path,
    simulator,
    whole,
)

commands = typer.Typer()


@commands.command("watch")
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


@commands.command("mutate")
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
    from tilepath.engine.commands.own_rtl.own import design

    name, numbers, kinds = block.replace("+", "_"), tuple(only or ()), tuple(kind or ())
    words = filter(None, (name, *kinds, module, "only" if only else ""))
    folder = out or Path("runs") / "-".join(("mutate", *words))
    drawn = numbers, kinds, module
    own = design([block], rtl, top, ["verilator"], [profile])
    asked = Wanted(name, count, seed, profile, seeds, cycles, jobs, folder, *drawn, own)
    raise typer.Exit(mutate(asked))


@commands.command("plant")
def plant_command(
    name: Annotated[str, typer.Argument(metavar="NAME", help="A bug, or block/bug.")],
) -> None:
    """Print a bug planted on purpose as a diff of the RTL, for patch -p1 or git apply."""
    from tilepath.engine.commands.planted import find_bug

    bug = find_bug(name)
    print(f"{bug.where}: {bug.what} (breaks {bug.breaks}; try {bug.caught_by} first)")
    print(bug.diff(), end="")


@commands.command("corners")
def corners_command(
    block: Annotated[str, typer.Argument(metavar="BLOCK")],
    test: Annotated[
        list[str] | None, named("ROW", "Only this row of its table (repeatable).")
    ] = None,
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
    raise typer.Exit(corners(name, plain, test or (), seeds, jobs))


@commands.command("gate")
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
    from tilepath.engine.commands.own_rtl.own import design
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


@commands.command("formal")
def formal_command(
    block: options.BlockNames = None,
    proof: Annotated[list[str] | None, typer.Option(help="Only this proof (repeatable).")] = None,
    out: Annotated[Path, a_path("Directory of results.")] = Path("runs") / "formal",
) -> None:
    """Prove the assertions of all blocks, or of the ones named, with an SMT solver."""
    from tilepath.engine.commands.formal import run_proofs

    raise typer.Exit(run_proofs(block or (), proof or (), out))


@commands.command("new-block")
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
    from tilepath.engine.commands.errors import UsageError
    from tilepath.engine.commands.new_block import Given, new_block

    if not top and (rtl or module or param or define or clock):
        raise UsageError("--rtl, --module, --param, --define, --clock are of a design: give --top")
    more = (tuple(one or ()) for one in (param, define, clock))
    given = Given(top, tuple(rtl or ()), module, *more) if top else None
    for file in new_block(name, given=given):
        print(f"wrote {file}")
    print(f"now: tilepath run --block {name}")
    print(f"{'engine/README.md' if top else 'docs/add-a-block.md'} says how to go on from there")


Timeout = Annotated[int, number(1, 10**7, "Seconds after which a job is ended.")]
Memory = Annotated[int | None, number(1, 10**7, "MiB of memory beyond which a job is ended.")]
Limit = Annotated[
    options.Budget | None,
    typer.Option("--budget", parser=budget, help="Begin no job after that: 30m, 8h, 200runs."),
]


@commands.command("regress")
def regress_command(
    context: typer.Context,
    file: Annotated[Path, typer.Argument(parser=path, metavar="FILE.sqlite")],
    sim: Annotated[
        list[str] | None,
        typer.Option(parser=simulator, help="Simulator: verilator or icarus (repeatable)."),
    ] = None,
    profile: Annotated[list[str] | None, named("NAME", "Profile (repeatable).")] = None,
    block: options.BlockNames = None,
    test: options.TestNames = None,
    tag: options.Tags = None,
    tests: options.Files = None,
    seed: options.Seed = None,
    seeds: options.Seeds = None,
    root_seed: options.RootSeed = None,
    cycles: options.Cycles = None,
    knob: options.Knobs = None,
    where: options.Where = "",
    rtl: options.Rtl = None,
    top: options.Top = "",
    timeout: Timeout = 3600,
    memory: Memory = None,
    until_coverage: bool = flag("--until-coverage", "Go on with new seeds until all bins are hit."),
    limit: Limit = None,
    jobs: options.Jobs = None,
    verify: Annotated[int, number(0, 10**6, "Run so many finished jobs again, and compare.")] = 0,
    schedules: Annotated[
        str,
        named("N", "Run the kernels of --test on the model under so many schedules, or this one."),
    ] = "",
    history: Annotated[
        Path | None, a_path("Another file: what failed last in it comes first, too.")
    ] = None,
    executor: Annotated[
        str, typer.Option(help="Where jobs run: local, or dask, on the workers of a scheduler.")
    ] = "local",
    scheduler: Annotated[str, named("ADDRESS", "Of --executor dask: tcp://… or tls://….")] = "",
    resume: bool = flag("--resume", "Go on with the last regression in the file."),
    only_show: bool = flag("--show", "Show what came of the last regression; run nothing."),
    as_json: options.AsJson = False,
) -> None:
    """Run blocks x tests x profiles x simulators x seeds, remembered in a file, to be resumed."""
    given = locals()
    from tilepath.engine.commands.own_tests import with_whole_paths
    from tilepath.engine.commands.regress.command import Options, Session, regress, show_file

    if only_show:
        with only_json(as_json) as tell:
            raise typer.Exit(show_file(file, tell))
    if executor not in ("local", "dask"):
        raise typer.BadParameter(f"{executor!r} is not local or dask", param_hint="--executor")
    if (executor == "dask") != bool(re.match(r"(tcp|tls)://.", scheduler)):
        text = "--executor dask and an address, tcp://… or tls://…, belong together"
        raise typer.BadParameter(text, param_hint="--scheduler")
    sources = {name: context.get_parameter_source(name) for name in context.params}
    typed = {name for name, source in sources.items() if source and source.name == "COMMANDLINE"}
    given["tests"] = [str(one.resolve()) for one in tests or ()]
    given["test"] = with_whole_paths(test or ())
    given["sim"] = [] if schedules and not sim else sim
    given["rtl"] = [str(Path(one).resolve()) for one in rtl or ()]
    with only_json(as_json) as tell:
        session = Session(resume, frozenset(typed), jobs, limit, verify, history, scheduler, tell)
        raise typer.Exit(regress(file, Options.of(given), session))


@commands.command("campaign")
def campaign_command(
    file: Annotated[Path, typer.Argument(parser=path, metavar="FILE.sqlite")],
    block: options.BlockNames = None,
    test: options.TestNames = None,
    seeds: options.Seeds = None,
    root_seed: options.RootSeed = None,
    timeout: Timeout = 3600,
    memory: Memory = None,
    limit: Limit = None,
    jobs: options.Jobs = None,
) -> None:
    """Run random tests with many seeds, more of those near to a floor; go on if called again."""
    given = locals()
    from tilepath.engine.commands.regress.campaign import campaign
    from tilepath.engine.commands.regress.command import Options, Session

    raise typer.Exit(campaign(file, Options.of(given), Session(jobs=jobs, budget=limit)))


@commands.command("floors")
def floors_command(
    files: Annotated[list[Path], typer.Argument(parser=path, metavar="FILE.sqlite...")],
    block: options.BlockNames = None,
    test: options.TestNames = None,
    write: bool = flag("--write", "Write the floors of these tests anew."),
) -> None:
    """Show by how much the random runs of regressions were above their floors."""
    from tilepath.engine.commands.regress.floors import run_floors

    run_floors(files, block or (), test or (), write=write)


@commands.command("report")
def report_command(
    file: Annotated[Path, typer.Argument(parser=path, metavar="FILE.sqlite")],
    out: Annotated[Path | None, a_path("The page, a .html file.", *OUT)] = None,
    measured: Annotated[
        list[Path] | None,
        a_path(
            "Show what was reached of the RTL in the regression in this folder (repeatable).",
            "--rtl-coverage",
            metavar="RUNS",
        ),
    ] = None,
    mutants: Annotated[
        list[Path] | None,
        a_path(
            "Show the score and the survivors of this mutants.json (repeatable).", metavar="FILE"
        ),
    ] = None,
) -> None:
    """Make a page of the last regression in a file, and JUnit XML and Markdown beside it."""
    from tilepath.engine.commands.report_page.page import report

    print(report(file, out, measured or (), mutants or ()))


@commands.command("shrink")
def shrink_command(
    run_dir: Annotated[Path, typer.Argument(parser=path, metavar="RUN")],
    out: Annotated[Path | None, a_path("The test, a .py file.", *OUT)] = None,
    seconds: Annotated[int, number(1, 86_400, "Stop with the least found by then.")] = 60,
    jobs: Annotated[int, number(1, 256, "Runs at the same time.", "--jobs", "-j")] = 2,
) -> None:
    """Make a directed test of the least items of a failing run that fail in the same way."""
    from tilepath.engine.commands.shrink.command import shrink

    raise typer.Exit(shrink(run_dir, out, seconds, jobs))
