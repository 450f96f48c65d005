# SPDX-License-Identifier: Apache-2.0
"""Commands about what runs on the hardware: words, kernels, programs of the flag pipe."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tilepath.engine.commands.one_line import only_json
from tilepath.engine.commands.options import OUT, AsJson, Profile, a_path, flag, named, number, path

programs = typer.Typer()


@programs.command("asm")
def asm_command(
    lines: Annotated[list[str], typer.Argument(metavar="'MNEMONIC OPERANDS'...")],
    profile: Profile = "baseline",
) -> None:
    """Print the Tensix word of each instruction, and its rotated .ttinsn form."""
    from tilepath.cli.assembly import assemble_lines

    for text in assemble_lines(lines, profile):
        print(text)


@programs.command("disasm")
def disasm_command(
    words: Annotated[list[str], typer.Argument(metavar="WORD...")],
    ttinsn: bool = flag("--ttinsn", "The words are rotated."),
    profile: Profile = "baseline",
) -> None:
    """Print the mnemonic and the fields of each word."""
    from tilepath.cli.assembly import disassemble_words

    for text in disassemble_words(words, profile, rotated=ttinsn):
        print(text)


@programs.command("model")
def model_command(
    file: Annotated[Path, typer.Argument(parser=path, metavar="FILE")],
    profile: Profile = "baseline",
    order: Annotated[
        str, typer.Option(help="Whose step is next: round, priorities such as 2,1,0, or a seed.")
    ] = "round",
    given: Annotated[
        list[str] | None, named("NAME=NUMBER", "Another constant (repeatable).", "--set")
    ] = None,
    write: Annotated[
        list[str] | None,
        named("TILE=FILE.tiles", "Write what it holds then as host tiles (repeatable).", "--write"),
    ] = None,
    schedules: Annotated[
        str,
        named("N", "And under so many schedules, or under one: latest, slow:U0+P, seed:7."),
    ] = "",
    this_rtl: bool = flag("--this-rtl", "Schedules do what this RTL can do, not all that may be."),
    races: bool = flag("--races", "Name what no wait orders, each with a schedule that shows it."),
) -> None:
    """Run a kernel file on the machine without time, and check what it expects."""
    from tilepath.cli.kernels import odd_schedules, run_model, schedules_of, told_races

    scheduled = schedules_of(schedules or ("20" if races else ""), letter=not this_rtl)
    finds = told_races if races else odd_schedules
    raise typer.Exit(run_model(file, profile, order, given or (), write or (), scheduled, finds))


@programs.command("import-kernel")
def import_kernel_command(
    log: Annotated[Path, typer.Argument(parser=path, metavar="LOG")],
    profile: Profile = "baseline",
    include: Annotated[
        list[str] | None, named("FILE", "Tiles and expectations, beside it (repeatable).")
    ] = None,
    ttinsn: bool = flag("--ttinsn", "The words are rotated."),
    as_here: bool = flag("--registers-as-here", "Its registers are not where the chip has them."),
    out: Annotated[Path | None, a_path("New file to write; default: stdout.", *OUT)] = None,
) -> None:
    """Make a kernel file of a log of words by thread, or of a folder of t0.bin to t2.bin."""
    from tilepath.cli.kernels import import_kernel

    here = {"rotated": ttinsn, "as_here": as_here}
    raise typer.Exit(import_kernel(log, profile, include or (), out, **here))


@programs.command("lint-kernel")
def lint_kernel_command(
    files: Annotated[list[Path] | None, typer.Argument(parser=path, metavar="FILE...")] = None,
    profile: Profile = "baseline",
    given: Annotated[
        list[str] | None, named("NAME=NUMBER", "Another constant (repeatable).", "--set")
    ] = None,
    select: Annotated[list[str] | None, named("RULE", "Only this rule (repeatable).")] = None,
    ignore: Annotated[list[str] | None, named("RULE", "Not this rule (repeatable).")] = None,
    show_list: bool = flag("--list", "List the rules."),
    rule: Annotated[str | None, named("RULE", "Explain a rule.", "--explain")] = None,
    as_json: AsJson = False,
) -> None:
    """Look for what is wrong with the words of kernel files, without a run."""
    from tilepath.cli.kernels import explain, lint_kernels, show_rules

    if show_list:
        show_rules()
    elif rule is not None:
        explain(rule)
    else:
        with only_json(as_json) as tell:
            found = lint_kernels(
                files or (), profile, given or (), select or (), ignore or (), tell
            )
        raise typer.Exit(found)


@programs.command("check-pipe")
def check_pipe_command(
    file: Annotated[Path, typer.Argument(parser=path, metavar="FILE")],
    as_json: bool = flag("--json", "Print one JSON object."),
) -> None:
    """Check a program of the flag pipe: addresses, pops and frees, and whether it ends."""
    from tilepath.cli.pipes import check_pipe

    raise typer.Exit(check_pipe(file, as_json=as_json))


@programs.command("expand-pipe")
def expand_pipe_command(
    file: Annotated[Path, typer.Argument(parser=path, metavar="FILE")],
    out: Annotated[Path | None, a_path("File to write; default: stdout.", *OUT)] = None,
) -> None:
    """Complete a program of the flag pipe: ring buffers and their bases, and tfrees."""
    from tilepath.cli.pipes import expand_pipe

    raise typer.Exit(expand_pipe(file, out))


@programs.command("pipe-timeline")
def pipe_timeline_command(
    run_dir: Annotated[Path, typer.Argument(parser=path, metavar="RUN_DIR")],
    out: Annotated[
        Path | None, a_path("File to write; default: timeline.svg in RUN_DIR.", *OUT)
    ] = None,
    first: Annotated[
        int | None,
        number(0, 10**9, "First cycle, counted from the first command; default: 0.", "--from"),
    ] = None,
    last: Annotated[
        int | None, number(0, 10**9, "Last cycle; default: 300 are drawn.", "--to")
    ] = None,
    pair: Annotated[int | None, number(0, 1, "Only this pair; default: both.")] = None,
) -> None:
    """Draw a run of block flag_pipe as SVG: cores, flags and slots over the cycles."""
    from tilepath.cli.pipes import pipe_timeline

    print(pipe_timeline(run_dir, out, first, last, pair))
