# SPDX-License-Identifier: Apache-2.0
"""``tilepath regress`` as it is typed."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated

import typer

from tilepath.engine.commands import options
from tilepath.engine.commands.as_json import only_json
from tilepath.engine.commands.options import (
    OUT,
    a_path,
    budget,
    flag,
    named,
    number,
    path,
    simulator,
)

regressions = typer.Typer()

Timeout = Annotated[int, number(1, 10**7, "Seconds after which a job is ended.")]
Memory = Annotated[int | None, number(1, 10**7, "MiB of memory beyond which a job is ended.")]
Limit = Annotated[
    options.Budget | None,
    typer.Option("--budget", parser=budget, help="Begin no job after that: 30m, 8h, 200runs."),
]


@regressions.command("regress")
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
    from tilepath.engine.commands.regress.command import Options, Session, regress, show_file
    from tilepath.engine.commands.regress.kinds import with_whole_paths

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


@regressions.command("campaign")
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


@regressions.command("floors")
def floors_command(
    files: Annotated[list[Path], typer.Argument(parser=path, metavar="FILE.sqlite...")],
    block: options.BlockNames = None,
    test: options.TestNames = None,
    write: bool = flag("--write", "Write the floors of these tests anew."),
) -> None:
    """Show by how much the random runs of regressions were above their floors."""
    from tilepath.engine.commands.regress.floors import run_floors

    run_floors(files, block or (), test or (), write=write)


@regressions.command("report")
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
    from tilepath.engine.commands.report_page.command import report

    print(report(file, out, measured or (), mutants or ()))


@regressions.command("shrink")
def shrink_command(
    run_dir: Annotated[Path, typer.Argument(parser=path, metavar="RUN")],
    out: Annotated[Path | None, a_path("The test, a .py file.", *OUT)] = None,
    seconds: Annotated[int, number(1, 86_400, "Stop with the least found by then.")] = 60,
    jobs: Annotated[int, number(1, 256, "Runs at the same time.", "--jobs", "-j")] = 2,
) -> None:
    """Make a directed test of the least items of a failing run that fail in the same way."""
    from tilepath.engine.commands.shrink.command import shrink

    raise typer.Exit(shrink(run_dir, out, seconds, jobs))
