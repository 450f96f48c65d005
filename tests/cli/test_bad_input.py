# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tilepath.tests.cli.fakes import FakeKernel, Invoke

ROOT = Path(__file__).resolve().parents[2]


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
    ],
)
def test_bad_input_is_one_line_and_status_2(
    invoke: Invoke, kernel: FakeKernel, arguments: str, expected: str
) -> None:
    result = invoke(*arguments.split())
    assert result.exit_code == 2
    assert result.stdout == ""
    (line,) = result.stderr.splitlines()
    assert line.startswith("tilepath: ")
    assert expected in line
    assert not kernel.runners or not kernel.runner.runs


def test_a_missing_simulator_is_one_line(
    invoke: Invoke, kernel: FakeKernel, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("NO_ICARUS", "1")
    result = invoke("run", "--sim", "icarus", "--out", tmp_path)
    assert (result.exit_code, kernel.runner.runs) == (2, [])
    assert len(result.stderr.splitlines()) == 1


def test_the_real_runner_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    from tilepath.cli.errors import UsageError
    from tilepath.cli.plan import Plan
    from tilepath.cli.simulation import KernelRunner, RunOptions

    monkeypatch.setenv("PATH", "/nonexistent")
    for sim, tool in (("icarus", "iverilog"), ("verilator", "perl")):
        with pytest.raises(UsageError, match=tool) as caught:
            KernelRunner(RunOptions(sim, "baseline", Path("runs"))).check(Plan(None, ()))
        assert "\n" not in str(caught.value)


def test_the_module_is_the_command() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tilepath", "asm", "NOSUCH"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout, len(done.stderr.splitlines())) == (2, "", 1)


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
    done = subprocess.run(
        ["make", option], cwd=ROOT, capture_output=True, text=True, check=False, env=_clean()
    )
    assert (done.returncode, done.stdout) == (2, "")
    (line,) = done.stderr.splitlines()
    assert expected in line


def test_make_passes_options_on() -> None:
    options = "SIM=icarus SEED=1234567890 WAVES=1 PROFILE=blackhole CYCLES=5 JOBS=2".split()
    done = subprocess.run(
        ["make", "-n", *options, "TEST=it's", "BLOCK=frontend"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
        env=_clean(),
    )
    words = done.stdout.splitlines()[-1].split(" run ")[1].split()
    assert (
        words
        == (
            "--sim icarus --block 'frontend' --test 'it'\\''s' --seed 1234567890 "
            "--profile 'blackhole' --waves --jobs 2 --cycles 5"
        ).split()
    )


def test_make_help_lists_targets_and_options() -> None:
    done = subprocess.run(
        ["make", "help"], cwd=ROOT, capture_output=True, text=True, check=True, env=_clean()
    )
    targets = ("run", "test", "bench", "lint", "synth", "formal", "isa", "clean", "venv", "help")
    options = ("SIM=", "BLOCK=", "TEST=", "SEED=", "SEEDS=", "PROFILE=", "WAVES=", "JOBS=")
    for word in (*targets, *options):
        assert word in done.stdout


def _clean() -> dict[str, str]:
    """The environment without what a make around pytest has put there."""
    import os

    return {k: v for k, v in os.environ.items() if k not in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL")}
