# SPDX-License-Identifier: Apache-2.0
"""The command line: ``tilepath run|list|check|coverage|trace|account|formal|asm|disasm|model|…``.

Anything wrong with what was typed gives one line on stderr and exit status 2; a failing run or
check gives 1. Each command imports what it needs, so that ``tilepath asm`` answers at once.
"""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from tilepath import __version__
from tilepath.cli.program_commands import programs
from tilepath.engine.commands import options
from tilepath.engine.commands.one_line import OneLineGroup, only_json
from tilepath.engine.commands.options import (
    OUT,
    SEED_LIMIT,
    a_path,
    budget,
    flag,
    named,
    number,
    path,
)
from tilepath.engine.commands.typed import commands
from tilepath.engine.host.verbosity import VERBOSITY_VARIABLE

app = typer.Typer(
    cls=OneLineGroup,
    name="tilepath",
    help="Co-verification of a Tensix tile data path: run, check and look at tests.",
    no_args_is_help=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


def _from_outside(files: Sequence[Path] | None) -> AbstractContextManager[None]:
    """Inside, the tests of ``files`` are there, too."""
    from tilepath.engine.description.registry import with_files

    return with_files(files or ())


def _print_version(wanted: bool) -> None:
    if wanted:
        print(f"tilepath {__version__}")
        raise typer.Exit


@app.callback()
def _common(
    _version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print the version."
        ),
    ] = False,
) -> None:
    """Co-verification of a Tensix tile data path: run, check and look at tests."""


@app.command("run")
def run_command(
    sim: options.Simulator = "verilator",
    block: options.BlockNames = None,
    test: options.TestNames = None,
    tag: options.Tags = None,
    files: options.Files = None,
    seed: options.Seed = None,
    seeds: options.Seeds = None,
    root_seed: options.RootSeed = None,
    start: options.Start = None,
    profile: options.Profile = "baseline",
    waves: options.Waves = None,
    jobs: options.Jobs = None,
    cycles: options.Cycles = None,
    timeout: Annotated[int, number(1, 10**7, "Seconds after which a run is ended.")] = 3600,
    out: Annotated[
        Path | None, a_path("Directory of results; default: runs/<sim>-<profile>.")
    ] = None,
    coverage: Annotated[bool, typer.Option(help="Collect functional coverage.")] = True,
    rtl_coverage: bool = flag("--rtl-coverage", "Count lines and toggles of the RTL (Verilator)."),
    cold: bool = flag("--cold", "Start a simulator for each run instead of a fork."),
    max_fail: options.MaxFail = None,
    rerun_failed: bool = flag("--rerun-failed", "Only the runs that failed, or did not end."),
    knob: options.Knobs = None,
    where: options.Where = "",
    until_coverage: bool = flag("--until-coverage", "Go on with new seeds until all bins are hit."),
    limit: Annotated[
        options.Budget | None,
        typer.Option(
            "--budget",
            parser=budget,
            help="How long so: 30m, 8h, 200runs; default: 1h, of --witness 200runs.",
        ),
    ] = None,
    witness: Annotated[
        str | None,
        named(
            "NEAR",
            "Look for a timing in which the RTL does otherwise with the kernel of --test: status "
            "1: found, 0: not in the budget. First what NEAR names: a schedule, places such as "
            "my.kernel:31:9, or any.",
        ),
    ] = None,
    only_list: bool = flag("--list", "List the tests that were asked for, and run none."),
    verbosity: Annotated[
        str | None, named("LEVEL", "What sim.log tells: UVM_NONE to UVM_DEBUG.")
    ] = None,
    rtl: options.Rtl = None,
    top: options.Top = "",
    as_json: options.AsJson = False,
) -> None:
    """Simulate and check tests of all blocks, or of the ones named."""
    from tilepath.engine.commands.jobs import Extent, RunOptions, list_tests, run_regression
    from tilepath.engine.commands.outside import chosen, names_of
    from tilepath.engine.commands.run_list import Selection

    if verbosity is not None:
        os.environ[VERBOSITY_VARIABLE] = verbosity
    with only_json(as_json):  # it may print
        tests = names_of(test or (), profile)
    asked = RunOptions(
        sim=sim,
        profile=profile,
        cycles=cycles,
        waves=waves,
        coverage=coverage,
        timeout=timeout,
        cold=cold,
        start=start,
        knobs=tuple(knob or ()),
        where=where,
        out=out or Path("runs") / f"{sim}-{profile}",
        rtl_coverage=rtl_coverage,
    )
    selection = Selection(tuple(block or ()), tests, tuple(tag or ()), seed, seeds, root_seed)
    if limit and not until_coverage and witness is None:
        raise typer.BadParameter(
            "it is the end of --until-coverage or --witness: give both", param_hint="--budget"
        )
    if witness is not None and (knob or where or until_coverage or rerun_failed or max_fail):
        raise typer.BadParameter(
            "it chooses knobs and runs itself, to the first that fails: leave out the others",
            param_hint="--witness",
        )
    until = (limit or budget("1h")) if until_coverage else None
    search = None if witness is None else (witness, limit or budget("200runs"))
    extent = Extent(jobs, max_fail, rerun_failed, until, search)
    if rtl or top:
        from tilepath.engine.commands.own_rtl.own import design

        if rtl_coverage:
            raise typer.BadParameter("it is of the project's RTL", param_hint="--rtl-coverage")
        with only_json(as_json):
            asked = replace(asked, rtl=design(selection.blocks, rtl, top, [sim], [profile]))
    with _from_outside(files), only_json(as_json) as tell:
        selection = chosen(files or (), selection)
        if only_list:
            list_tests(selection, tell)
            return
        raise typer.Exit(run_regression(asked, selection, extent, tell=tell))


@app.command("ports")
def ports_command(
    block: options.BlockName,
    profile: options.Profile = "baseline",
    out: Annotated[Path | None, a_path("Write a SystemVerilog skeleton.", *OUT)] = None,
) -> None:
    """Print the contract of ports of a block: what RTL of your own in its place must have."""
    from tilepath.engine.commands.jobs import check_profile
    from tilepath.engine.commands.own_rtl.elaborated import show_ports

    check_profile(profile)
    show_ports(block, profile, out)


@app.command("list")
def list_command(
    block: options.BlockNames = None,
    test: options.TestNames = None,
    tag: options.Tags = None,
    files: options.Files = None,
    knobs: bool = flag("--knobs", "Show the tables that tests draw from."),
    names: options.Names = None,
    errata: bool = flag("--errata", "List what chips do that documents do not say."),
    profile: Annotated[str | None, named("NAME", "Only errata that this profile has.")] = None,
    as_json: options.AsJson = False,
) -> None:
    """List the blocks, their tests, and what each test does; or errata of the chips."""
    if names:
        from tilepath.engine.commands.names import show as show_names

        if block or test or tag or files or knobs or errata or as_json:
            raise typer.BadParameter("it is asked for alone", param_hint="--names")
        show_names(names)
        return
    if as_json and (errata or knobs):
        raise typer.BadParameter("it is of tests", param_hint="--json")
    if errata:
        from tilepath.cli.errata import show

        if test or tag or files or knobs:
            raise typer.BadParameter("errata are of blocks", param_hint="--errata")
        show(block or (), profile)
        return
    if profile is not None:
        raise typer.BadParameter("it chooses errata: give --errata, too", param_hint="--profile")
    from tilepath.engine.commands.jobs import list_tests
    from tilepath.engine.commands.outside import chosen
    from tilepath.engine.commands.run_list import Selection

    selection = Selection(tuple(block or ()), tuple(test or ()), tuple(tag or ()))
    with _from_outside(files), only_json(as_json) as tell:
        if knobs:
            from tilepath.engine.commands.draws import show_knobs

            show_knobs(chosen(files or (), selection))
        else:
            list_tests(chosen(files or (), selection), tell)


@app.command("draws")
def draws_command(
    block: options.BlockName,
    test: options.TestName,
    knob: options.Knobs = None,
    where: options.Where = "",
    by: Annotated[str | None, named("COLUMN", "Apart for each value of this column.")] = None,
    rows: Annotated[int, number(1, 10_000_000, "Rows of each table.")] = 10_000,
    seed: Annotated[int, number(0, SEED_LIMIT - 1, "Seed.")] = 1,
    out: Annotated[Path | None, a_path("Write this file: .csv or .svg.", *OUT)] = None,
    files: options.Files = None,
) -> None:
    """Show what a random test draws: a histogram of each column of its tables."""
    from tilepath.engine.commands.draws import Wanted, one_test, show_draws

    with _from_outside(files):
        block, test = one_test(block, test)
        wanted = Wanted(block, test, tuple(knob or ()), where, rows, seed, by)
        show_draws(wanted, out)


@app.command("check")
def check_command(
    run_dirs: Annotated[list[Path], typer.Argument(parser=path, metavar="FOLDER...")],
    block: Annotated[str | None, named("NAME", "Refuse folders of another block.")] = None,
    out: Annotated[Path, a_path("Directory of results, of traces of other benches.", *OUT)] = Path(
        "runs/checked"
    ),
    files: options.Files = None,
) -> None:
    """Check stored runs, or traces of other benches, with the present model; nothing simulates."""
    from tilepath.engine.commands.foreign import check_traces, is_foreign
    from tilepath.engine.commands.given import check_block
    from tilepath.engine.commands.jobs import check_stored

    if block is not None:
        check_block(block)
        block = block.replace("+", "_")
    foreign = [folder for folder in run_dirs if is_foreign(folder)]
    ours = [folder for folder in run_dirs if folder not in foreign]
    with _from_outside(files):
        statuses = [check_stored(ours, block)] if ours else []
        statuses += [check_traces(foreign, block, out)] if foreign else []
        raise typer.Exit(max(statuses))


@app.command("recorders")
def recorders_command(
    block: options.BlockName,
    profile: options.Profile = "baseline",
    out: Annotated[Path | None, a_path("Write this file instead of printing it.", *OUT)] = None,
) -> None:
    """Write what records a design in another bench, under another simulator, for 'check'."""
    from tilepath.engine.commands.foreign import write_recorders

    write_recorders(block, profile, out)


@app.command("coverage")
def coverage_command(
    directory: Annotated[
        Path | None, typer.Argument(parser=path, metavar="[DIR]", help="Default: runs.")
    ] = None,
    every_bin: bool = flag("--all", "List every bin that was not hit."),
    imported: Annotated[
        list[Path] | None, a_path("Add a UCIS database (repeatable).", "--import", metavar="FILE")
    ] = None,
    export: Annotated[
        Path | None, a_path("Write it: .xml, .sqlite (UCIS) or .info (lcov).")
    ] = None,
    growth: bool = flag("--growth", "Show which run hit which bins first."),
    rank: bool = flag("--rank", "Show few runs that hit all that is hit."),
    plan: Annotated[str | None, named("BLOCK", "Show the plan of a block instead.")] = None,
    out: Annotated[Path | None, a_path("Write the plan: .md or .html.", *OUT)] = None,
    as_json: options.AsJson = False,
) -> None:
    """Show what the passed runs below a directory have covered, and what not; or what is to be."""
    if as_json and (plan or growth or rank or export):
        raise typer.BadParameter("it goes with DIR and --import only", param_hint="--json")
    if plan is not None:
        from tilepath.engine.commands.covered import show_plan

        show_plan(plan, out)
        return
    if out is not None:
        raise typer.BadParameter("it is where --plan is written: give both", param_hint="--out")
    from tilepath.engine.commands.covered import show_coverage, show_growth, show_ranking

    if growth or rank:
        if imported or export or (growth and rank):
            raise typer.BadParameter("it goes with no other", param_hint="--growth, --rank")
        if growth:
            show_growth(directory, every_bin=every_bin)
        else:
            show_ranking(directory)
        return
    with only_json(as_json) as tell:
        show_coverage(directory, imported or (), export, every_bin=every_bin, tell=tell)


@app.command("trace")
def trace_command(
    run_dir: Annotated[Path, typer.Argument(parser=path, metavar="RUN_DIR")],
    stream: Annotated[str | None, typer.Argument(metavar="[STREAM]")] = None,
    out: options.TableFile = None,
    first: Annotated[int, number(0, 1 << 32, "First cycle.", "--from")] = 0,
    last: Annotated[int | None, number(0, 1 << 32, "Last cycle.", "--to")] = None,
) -> None:
    """List the streams that a run recorded, or print one of them, with its fields taken apart."""
    from tilepath.engine.commands.trace import show_trace

    show_trace(run_dir, stream, out, first, last)


@app.command("account")
def account_command(
    run_dir: Annotated[Path, typer.Argument(parser=path, metavar="RUN_DIR")],
    kind: Annotated[str | None, typer.Argument(metavar="[KIND]")] = None,
    out: options.TableFile = None,
) -> None:
    """List what the model tells of a stored run, or print one kind of rows of it."""
    from tilepath.engine.commands.trace import show_account

    show_account(run_dir, kind, out)


@app.command("kernel-report")
def kernel_report_command(
    run_dir: Annotated[Path, typer.Argument(parser=path, metavar="RUN_DIR")],
    outs: Annotated[
        list[Path] | None,
        a_path("File to write as well: .json, .trace.json (Perfetto), .svg (repeatable).", *OUT),
    ] = None,
    as_json: options.AsJson = False,
) -> None:
    """Tell where the cycles of a run of block datapath went: units, threads, bound, tiles."""
    from tilepath.cli.kernel_report import show_report

    with only_json(as_json) as tell:
        show_report(run_dir, outs or (), tell)


app.add_typer(programs)
app.add_typer(commands)


def main() -> None:
    """Entry point of the console script ``tilepath``."""
    # What a command loads stays: to look through it for garbage while it is loaded, and once more
    # at the end, took a quarter of the time of the short ones.
    gc.set_threshold(100_000)
    try:
        app(prog_name="tilepath")
    finally:
        if "pyslang" not in sys.modules:  # which complains of all that is left at the end
            gc.freeze()


if __name__ == "__main__":
    main()
