# SPDX-License-Identifier: Apache-2.0
"""The default regression of every block, as ``make`` runs it: all tests pass, every bin is hit."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

import pytest

from tilepath.engine.commands.report import IN_RUNS
from tilepath.engine.commands.run_list import first_seeds
from tilepath.engine.coverage.report import merge_files
from tilepath.engine.description import registry
from tilepath.engine.host.run import RunRequest
from tilepath.isa import profiles
from tilepath.tests.commands import passed, python
from tilepath.tests.cosim_runs import needs_icarus, simulate
from tilepath.tests.tables import beside

_SHORT: Final = {"pack": 2500, "unpack": 4000, "flag_pipe": 3000, "standin": 1500, "datapath": 1500}
"""Cycles of random tests under Icarus, where they are not as long as usual: it is slow."""

_ONCE: Final = {"unpack": ("fp32_values",)}
"""Tests of half a million cycles that only ``baseline`` has: a million values of FP32, which all
profiles convert alike. What they cover is covered without them in each."""

_ON_ICARUS: Final = {
    ("datapath", "crosses"): "copy", ("datapath", "broadcast_12"): "broadcast_03",
    ("datapath", "transpose_1"): "transpose_0", ("pack", "scenes_pressure"): "random_pressure",
}  # fmt: skip
"""Shorter tests instead of those that take Icarus longest, which Verilator has."""

_FIRST_ON_ICARUS: Final = {"baseline": 0, "wormhole": 2, "blackhole": 4}
"""Which of the tests is the first that runs there, of each profile."""

_BLOCK_ON_ICARUS: Final = 1_024
"""Cycles between two checks there: a run ends with one, and waiting for it is as slow as work."""

_WITH_X: Final = {("datapath", "baseline"): ("compress_0", "mutex")}
"""Tests that Icarus has besides its share: only they have had X in their streams."""

_INSTEAD: Final = {("flag_pipe", "blackhole"): "baseline,platform=a2a3"}
"""Of a block in which the profiles do not differ: another choice of parameters, which do."""

_SETTINGS: Final = beside(__file__, "settings")
_OTHERS: Final = [(block, one) for block, row in _SETTINGS.items() for one in row["profiles"]]

_CONFIGURATIONS = [
    ("verilator", "baseline"),
    ("verilator", "blackhole"),
    ("verilator", "wormhole"),
    pytest.param("icarus", "baseline", marks=needs_icarus),
    pytest.param("icarus", "blackhole", marks=needs_icarus),
    pytest.param("icarus", "wormhole", marks=needs_icarus),
]


@pytest.mark.parametrize("block", registry.block_names())
@pytest.mark.parametrize(("sim", "profile"), _CONFIGURATIONS)
def test_default_regression(tmp_path: Path, sim: str, profile: str, block: str) -> None:
    """With a fixed root seed, so that a failure here is a failure for everybody.

    Under Icarus every eighth test runs in each profile, and bins are left to Verilator: traces are
    the same (``tests/traces``), and so is what is covered.
    """
    options = []
    if sim == "icarus":
        names = list(registry.tests_of(block))[_FIRST_ON_ICARUS[profile] :: 8]
        names = [_ON_ICARUS.get((block, name), name) for name in names]
        names += _WITH_X.get((block, profile), ())
        _pass_on_icarus(tmp_path, _INSTEAD.get((block, profile), profile), block, names)
        return
    if profile != "baseline" and block in _ONCE:
        names = [name for name in registry.tests_of(block) if name not in _ONCE[block]]
        options = [f"--test={name}" for name in names]
    _passes(tmp_path, sim, _INSTEAD.get((block, profile), profile), block, options)


@pytest.mark.parametrize(
    ("sim", "profile", "block", "test"),
    [
        *(
            ("verilator", "blackhole", block, test)
            for block, tests in _ONCE.items()
            for test in tests
        ),
        *(
            pytest.param("icarus", "baseline", *left, marks=needs_icarus)
            for left in _ON_ICARUS
            if left[0] != "datapath"  # all of it follows
        ),
    ],
)
def test_what_the_default_regressions_leave_out(
    tmp_path: Path, sim: str, profile: str, block: str, test: str
) -> None:
    """Long tests that another configuration has, too."""
    _passes(tmp_path, sim, profile, block, ["--no-coverage", f"--test={test}"])


@pytest.mark.long
@pytest.mark.rare
@needs_icarus
@pytest.mark.parametrize("profile", profiles.names())
def test_every_kernel_on_icarus(tmp_path: Path, profile: str) -> None:
    """Whose registers begin with X, unlike Verilator's; CI runs a share."""
    _passes(tmp_path, "icarus", profile, "datapath", ["--no-coverage"])


@pytest.mark.parametrize(("block", "profile"), _OTHERS)
def test_values_that_no_profile_has(tmp_path: Path, block: str, profile: str) -> None:
    settings = _SETTINGS[block]
    options = [f"--test={name}" for name in settings["tests"].split()]
    options += [f"--cycles={settings['cycles']}"] if "cycles" in settings else []
    _passes(tmp_path, "verilator", profile, block, ["--no-coverage", *options])


def _pass_on_icarus(tmp_path: Path, profile: str, block: str, names: Sequence[str]) -> None:
    """The runs of the default regression, but for what is said of them above."""
    for name in names:
        for seed in first_seeds(1, block, name, registry.tests_of(block)[name]):
            simulate(
                RunRequest(
                    block=block,
                    test=name,
                    seed=seed,
                    sim="icarus",
                    profile=profile,
                    cycles=_SHORT.get(block),
                    coverage=False,
                    block_cycles=_BLOCK_ON_ICARUS,
                    out_dir=tmp_path,
                )
            )


def _passes(
    tmp_path: Path, sim: str, profile: str, block: str, options: Sequence[str] = ()
) -> None:
    command = ["-m", "tilepath", "run", "--block", block, "--sim", sim, "--profile", profile]
    command += ["--root-seed", "1", "--jobs", "1", "--out", str(tmp_path), *options]
    text = passed(python(*command, timeout=2400))
    assert IN_RUNS not in text, text[-2000:]
    if "--no-coverage" not in options:
        coverage = merge_files(sorted(tmp_path.glob(f"{block}/*/coverage.json")))
        assert coverage.missing() == []
