# SPDX-License-Identifier: Apache-2.0
"""Bad input: one line, status 2, and nothing is begun."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tilepath import __main__ as command
from tilepath.cli import main as module
from tilepath.cli.errors import UsageError
from tilepath.cli.plan import Plan
from tilepath.cli.simulation import KernelRunner, RunOptions
from tilepath.tests.cli.fakes import FakeKernel, invoke
from tilepath.tests.commands import Done, call, python, refused

UNTIL = "run --block alpha --until-coverage"
DRAWS = "draws --block adc --test random"


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ("", "command"),
        ("frobnicate", "frobnicate"),
        ("--nosuch", "--nosuch"),
        ("run --sim foo", "'foo'"),
        ("run --sim", "--sim"),
        ("run --block nosuch", "no block 'nosuch'; there are: alpha, beta"),
        ("run --test nosuch", "no test 'nosuch' in any block; there are: corner, matmul"),
        ("run --block alpha --test matmul", "no test 'matmul' in block alpha"),
        ("run --profile nosuch", "baseline, blackhole"),
        ("run --seed abc", "'abc' is not a whole number"),
        ("run --seed -1", "'-1' is not a whole number"),
        ("run --seed 1.5", "'1.5'"),
        ("run --seed 18446744073709551616", "18446744073709551615"),
        ("run --seeds 0", "'0'"),
        ("run --jobs 0", "'0'"),
        ("run --cycles 0", "'0'"),
        ("run --cycles 1e6", "'1e6'"),
        ("run --seed 1 --seeds 2", "excludes"),
        ("run --seed 1 --root-seed 2", "excludes"),
        ("run alpha", "alpha"),
        ("run --out /proc/nowhere", "/proc/nowhere"),
        ("gate", "--block: say of which block"),
        ("gate --block nosuch", "no block 'nosuch'"),
        ("gate --block alpha --cycles 0", "'0'"),
        ("gate --block alpha --knob wrap=1", "--knob"),
        ("asm", "argument"),
        ("asm NOSUCH", "NOSUCH"),
        ("asm REPLAY", "operands"),
        ("asm --profile nosuch NOP", "baseline, blackhole"),
        ("disasm xyz", "'xyz' is not a number"),
        ("disasm 0x1ffffffff", "32 bits"),
        ("disasm --profile nosuch 1", "baseline, blackhole"),
        ("check", "RUN_DIR"),
        ("check /nonexistent", "/nonexistent"),
        ("coverage /nonexistent", "/nonexistent"),
        # what was most likely meant
        ("run --block alpa", "did you mean alpha?"),
        ("run --test random_mxi", "did you mean random_mix?"),
        ("run --tag randon", "did you mean random?"),
        ("list --tag quik", "did you mean quick?"),
        ("run --profile blackhol", "did you mean blackhole?"),
        ("rn", "Did you mean 'run'?"),
        ("run --test nothing*", "there is no test 'nothing*'"),
        ("run --sim verilatr", "did you mean verilator?"),
        ("kernel-report", "RUN_DIR"),
        ("pipe-timeline", "RUN_DIR"),
        ("pipe-timeline x --pair 2", "'2'"),
        ("pipe-timeline x --from -1", "'-1'"),
        ("pipe-timeline x --to a", "'a'"),
        # one of several is wrong
        ("asm NOP NOSUCH", "NOSUCH"),
        # errata, and profiles with or without one
        ("list --errata --block flag_pipe", "block flag_pipe has no errata; these have: frontend,"),
        ("list --errata --block adc --profile baseline", "block adc has no errata in baseline; th"),
        ("list --errata --block unpak", "there is no block 'unpak'; did you mean unpack?"),
        ("list --errata --profile blackhol", "did you mean blackhole?"),
        ("list --errata --profile blackhole,row_v=16", "did you mean row_w?"),
        ("list --errata --test mix", "errata are of blocks"),
        ("list --errata --knobs", "errata are of blocks"),
        ("list --profile blackhole", "--profile: it chooses errata: give --errata, too"),
        ("run --profile blackhole,implied_fm=0", "did you mean implied_fmt?"),
        ("run --profile blackhole,implied_fmt=2", "cannot be '2': choose from 0, 1"),
        ("run --profile blackhole,zerosrc_neginf_srcb=0", "is an erratum of baseline: the chip of"),
        ("asm --profile blackhole,tf32_low=0 NOP", "erratum tf32_low is no parameter"),
        # until all bins are hit
        (f"{UNTIL} --budget 0runs", "'0runs' is no budget: write 90s, 30m, 8h or"),
        (f"{UNTIL} --budget 3", "'3' is no budget"),
        ("run --block alpha --budget 3m", "--budget: it is the end of --until-coverage: give both"),
        (f"{UNTIL} --seed 3", "give a root seed, no seed of a run"),
        (f"{UNTIL} --no-coverage", "leave out --no-coverage"),
        (f"{UNTIL} --test corner", "no test of alpha that was asked for is random"),
        (f"{UNTIL} --root-seed 5 --rerun-failed", "give none"),
    ],
)
def test_bad_input_is_one_line_and_status_2(
    kernel: FakeKernel,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    arguments: str,
    expected: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    assert refused(invoke(*arguments.split()), expected).startswith("tilepath: ")
    assert not kernel.runners or not kernel.runner.runs
    assert not any(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ("mutate", "--block"),
        ("mutate --block nosuch", "no block 'nosuch'"),
        ("mutate --block standin", "standin is part of the bench"),
        ("mutate --block adc --count 0", "'0'"),
        ("mutate --block adc --seed x", "'x'"),
        ("mutate --block adc --count 2 --only 3", "no mutant 3; 2 are drawn"),
        ("mutate --block adc --kind nosuch", "no kind 'nosuch'; there are: condition, "),
        ("mutate --block adc --module adc_grup", "no module 'adc_grup'; did you mean adc_group?"),
        ("mutate --block adc --profile nosuch", "baseline, blackhole"),
        ("mutate --block adc --out /proc/nowhere", "/proc/nowhere"),
        ("watch", "--block"),
        ("watch --block nosuch", "no block 'nosuch'"),
        ("watch --block adc --test nosuch", "no test 'nosuch'"),
        ("watch --block adc --sim nosuch", "'nosuch'"),
        ("watch --block adc --profile nosuch", "baseline, blackhole"),
        ("watch --block adc --seconds 0", "'0'"),
        ("coverage --plan nosuch", "there is no block 'nosuch'; there are: adc, control"),
        ("coverage --plan adc --out plan.png", "plan.png: a file is called .md or .html"),
        ("coverage --plan adc --out /nowhere/plan.md", "/nowhere/plan.md"),
        ("coverage --out plan.md", "--plan"),
        ("run --block adc --test vectors --knob flop.pause=7", "of adc these do: random, random_"),
        ("run --block adc --knob op=setadc:3,setadcxx:1", "adc/after_reset draws from no table"),
        ("draws --block adc --test vectors", "adc/vectors draws from no table"),
        ("draws --block adc --test random*", "one test is wanted, not 4"),
        ("draws --block nosuch --test random", "no block 'nosuch'"),
        ("draws --block adc", "--test"),
        (f"{DRAWS} --rows 0", "'0' is not a whole number"),
        (f"{DRAWS} --by opp", "--by: no table has a column 'opp'; did you mean op?"),
        (f"{DRAWS} --by junk", "--by junk: it has more than 12 values"),
        (f"{DRAWS} --by narrow", "--by narrow: it has more than 12 values"),
        (f"{DRAWS} --out here.png", "here.png: a file is called .csv or .svg"),
        (f"{DRAWS} --out /proc/nowhere.csv", "/proc/nowhere.csv"),
        ("list --knobs --block adc --test vectors", "draws from a table"),
    ],
)
def test_bad_input_of_what_asks_the_blocks(arguments: str, expected: str) -> None:
    refused(invoke(*arguments.split()), expected)


def test_a_missing_simulator_is_one_line(
    kernel: FakeKernel, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("NO_ICARUS", "1")
    refused(invoke("run", "--sim", "icarus", "--out", tmp_path))
    assert kernel.runner.runs == []


def test_the_real_runner_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nonexistent")
    for sim, tool in (("icarus", "iverilog"), ("verilator", "perl")):
        with pytest.raises(UsageError, match=tool) as caught:
            KernelRunner(RunOptions(sim, "baseline", Path("runs"))).check(Plan(None, ()))
        assert "\n" not in str(caught.value)


def test_the_module_is_the_command() -> None:
    refused(python("-m", "tilepath", "asm", "NOSUCH"))


@pytest.mark.parametrize("package", ["typer", "cocotb_tools"])
def test_a_missing_package_is_one_line_and_status_2(package: str) -> None:
    code = f"import sys; sys.modules[{package!r}] = None; sys.argv[1:] = ['list']; "
    code += "from tilepath.__main__ import main; main()"
    refused(python("-c", code), package, "pip install 'tilepath[sim]'")


def test_a_module_of_the_users_own_that_is_missing_is_no_such_thing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def broken() -> None:
        raise ModuleNotFoundError("No module named 'mine'", name="mine")

    monkeypatch.setattr(module, "main", broken)
    with pytest.raises(ModuleNotFoundError, match="mine"):
        command.main()


def make(*arguments: str) -> Done:
    """Without what a make around pytest has put into the environment."""
    outer = ("MAKEFLAGS", "MFLAGS", "MAKELEVEL")
    return call("make", *arguments, env={k: v for k, v in os.environ.items() if k not in outer})


@pytest.mark.parametrize(
    ("option", "expected"),
    [
        ("SIM=foo", "verilator or icarus"),
        ("SIM=", "verilator or icarus"),
        ("BLOCK=nosuch", "frontend"),
        ("BLOCK=", "BLOCK= is empty"),
        ("TEST=", "TEST= is empty"),
        ("PROFILE=", "PROFILE= is empty"),
        ("SEED=abc", "whole number"),
        ("SEED=12x", "whole number"),
        ("JOBS=-1", "whole number"),
        ("WAVES=yes", "0 or 1"),
        ("SEDE=1", "no option SEDE"),
    ],
)
def test_make_stops_before_it_starts_anything(option: str, expected: str) -> None:
    refused(make(option), expected)


def test_make_passes_options_on() -> None:
    options = "SIM=icarus SEED=1234567890 WAVES=1 PROFILE=blackhole CYCLES=5 JOBS=2".split()
    done = make("-n", *options, "TEST=it's", "BLOCK=frontend")
    assert done.returncode == 0, done.stderr
    words = done.stdout.splitlines()[-1].split(" run ")[1].split()
    assert (
        words
        == (
            "--sim icarus --block 'frontend' --test 'it'\\''s' --seed 1234567890 "
            "--profile 'blackhole' --waves --jobs 2 --cycles 5"
        ).split()
    )


def test_make_help_lists_targets_and_options() -> None:
    done = make("help")
    assert done.returncode == 0, done.stderr
    targets = ("run", "test", "bench", "lint", "synth", "formal", "isa", "clean", "venv", "help")
    options = ("SIM=", "BLOCK=", "TEST=", "SEED=", "SEEDS=", "PROFILE=", "WAVES=", "JOBS=")
    for word in (*targets, *options):
        assert word in done.stdout
