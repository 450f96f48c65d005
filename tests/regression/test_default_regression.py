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

_SETTINGS: Final = beside(__file__, "settings")
_ONCE: Final[dict[str, list[str]]] = _SETTINGS.pop("once")
_INSTEAD: Final[dict[str, str]] = _SETTINGS.pop("instead")
_ICARUS: Final = _SETTINGS.pop("icarus")
_OTHERS: Final = [(block, one) for block, row in _SETTINGS.items() for one in row["profiles"]]

_CONFIGURATIONS = [
    *(("verilator", profile) for profile in profiles.names()),
    *(pytest.param("icarus", profile, marks=needs_icarus) for profile in profiles.names()),
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
        names = list(registry.tests_of(block))[_ICARUS["first"][profile] :: 8]
        names = [_ICARUS["shorter"].get(f"{block}/{name}", name) for name in names]
        names += _ICARUS["with_x"].get(f"{block}, {profile}", ())
        _pass_on_icarus(tmp_path, _INSTEAD.get(f"{block}, {profile}", profile), block, names)
        return
    if profile != "baseline" and block in _ONCE:
        names = [name for name in registry.tests_of(block) if name not in _ONCE[block]]
        options = [f"--test={name}" for name in names]
    _passes(tmp_path, sim, _INSTEAD.get(f"{block}, {profile}", profile), block, options)


@pytest.mark.parametrize(
    ("sim", "profile", "block", "test"),
    [
        *(
            ("verilator", "blackhole", block, test)
            for block, tests in _ONCE.items()
            for test in tests
        ),
        *(
            pytest.param("icarus", "baseline", *left.split("/"), marks=needs_icarus)
            for left in _ICARUS["shorter"]
            if not left.startswith("datapath/")  # all of it follows
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
                    cycles=_ICARUS["cycles"].get(block),
                    coverage=False,
                    block_cycles=_ICARUS["block_cycles"],
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
