# SPDX-License-Identifier: Apache-2.0
"""The default regression of every block, as ``make`` runs it: all tests pass, every bin is hit."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import pytest

from tilepath.cli.plan import first_seeds
from tilepath.cli.report import IN_RUNS
from tilepath.tb.kernel.coverage.report import merge_files
from tilepath.tb.kernel.description import registry
from tilepath.tb.kernel.host.run import RunRequest
from tilepath.tests.cosim_runs import needs_icarus, simulate

_SHORT: Final = {"pack": 2500, "unpack": 4000, "flag_pipe": 3000, "standin": 1500, "datapath": 1500}
"""Cycles of random tests under Icarus, where they are not as long as usual: it is slow."""

_OF_PARAMETERS: Final = (
    "random_default", "random_bidirectional", "random_errors", "edges", "hold_limit",
    "clear_refused", "lone_bits",
)  # fmt: skip
"""Tests of the flag pipe in which depth, latency, width and slots held matter most."""

_OF_VALUES: Final = (
    "random_default", "random_packed", "random_faults", "vectors", "geometry", "wraps", "layout",
    "packed", "packed_parts", "upsample", "nop_clears", "faults", "fault_formats",
    "exhaustive_8bit", "ranges", "tilize", "matmul_formats",
)  # fmt: skip
"""Tests of the unpackers in which rows, upsampling, E5M2 or ZEROSRC matter."""

_ONCE: Final = {"unpack": ("fp32_values",)}
"""Tests of half a million cycles that only ``baseline`` has: a million values of FP32, which both
profiles convert alike. What they cover is covered without them in each."""

_ON_ICARUS: Final = {
    ("datapath", "crosses"): "copy", ("datapath", "broadcast_12"): "broadcast_03",
    ("datapath", "transpose_1"): "transpose_0", ("unpack", "layout"): "tilize",
    ("unpack", "matrix_rows"): "matrix_banks", ("pack", "scenes_pressure"): "random_pressure",
    ("standin", "products"): "pairs_add",
}  # fmt: skip
"""Shorter tests instead of those that take Icarus longest, which Verilator has."""

_BLOCK_ON_ICARUS: Final = 1_024
"""Cycles between two checks there: a run ends with one, and waiting for it is as slow as work."""

_WITH_X: Final = {("datapath", "baseline"): ("compress_0", "mutex")}
"""Tests that Icarus has besides its share: only they have had X in their streams."""

_INSTEAD: Final = {("flag_pipe", "blackhole"): "baseline,platform=a2a3"}
"""Of a block in which the profiles do not differ: another choice of parameters, which do."""

_PACK_SETTINGS: Final = (
    "baseline,pack_mask0=15,pack_relative=0,pack_yzw_shr4=1,pack_compress_ovrd=0,pack_e4m3=0,"
    "pack_tpg_by_intf=1,pack_r10_fp16=0,relu_max_cmp19=1,fp16_acc_quirk=0,setreg_enc=BH,"
    "pack_ch1_offset18=1,pack_tile_position_kept=1",
    "blackhole,pack_ch1_offset18=0,pack_tile_position_kept=1",
)
"""Every setting of the packers that is no size, at the value that ``baseline`` has not; errata."""

_PACK_TESTS: Final = (
    "random_default", "random_formats", "random_address", "random_edge", "random_compress",
    "random_accumulate", "random_faults", "values_formats", "values_stages", "elements",
    "addresses", "inputs", "faults", "pack_compressed",
)  # fmt: skip

_OF_CHIPS: Final = {
    "zeroacc_half_rows": 0, "zeroacc_storage_rows": 0, "move_fp32_rows": 0, "srcb_cut_in_move": 1,
    "move_unaligned_write": 0, "mova2d_row_block": 0, "movd2b_low_zero": 0,
}  # fmt: skip
"""What the newer chip's matrix unit does, turned off."""

_STANDIN_TESTS: Final = (
    "random_default", "random", "random_counters", "moves", "clearing", "zeroed", "faults",
)  # fmt: skip

_CONFIGURATIONS = [
    ("verilator", "baseline"),
    ("verilator", "blackhole"),
    pytest.param("icarus", "baseline", marks=needs_icarus),
    pytest.param("icarus", "blackhole", marks=needs_icarus),
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
        names = list(registry.tests_of(block))[0 if profile == "baseline" else 4 :: 8]
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
@pytest.mark.parametrize("profile", ["baseline", "blackhole"])
def test_every_kernel_on_icarus(tmp_path: Path, profile: str) -> None:
    """Whose registers begin with X, unlike Verilator's; CI runs a share."""
    _passes(tmp_path, "icarus", profile, "datapath", ["--no-coverage"])


@pytest.mark.parametrize(
    "values",
    [
        "platform=a5,flag_lat=4,hold_max=8,beat_bytes=16",
        "platform=a2a3,nflags=4,flag_lat=1,hold_max=2",
    ],
)
def test_other_flag_pipes(tmp_path: Path, values: str) -> None:
    """Depth, latency, width and slots held; coverage is asked for with the usual ones only."""
    profile = f"baseline,{values}"
    tests = [f"--test={name}" for name in _OF_PARAMETERS]
    _passes(tmp_path, "verilator", profile, "flag_pipe", ["--no-coverage", *tests])


@pytest.mark.parametrize(
    "profile",
    [
        "baseline,row_w=16,upsample_zeros=0:1:2:4,fp8_e5m2_fill=0,zerosrc_neginf_srcb=1"
        ",burst_default_throttle=1,srca_row_high=0,spare_unpacr=0",
        "blackhole,unpacr_nop_zero_clears=0,burst_default_throttle=0,srca_row_high=1",
    ],
)
def test_values_that_no_profile_has(tmp_path: Path, profile: str) -> None:
    """Rows of 16 datums (U25), zeros by the other table (U40), E5M2 without the rule of U49.

    And the other reading of what was read of chips (U31, U33, U68, U69). Without what these values
    make no difference to; coverage is of the profiles.
    """
    tests = [f"--test={name}" for name in _OF_VALUES]
    _passes(tmp_path, "verilator", profile, "unpack", ["--no-coverage", *tests])


@pytest.mark.parametrize("settings", _PACK_SETTINGS)
def test_pack_values_that_no_profile_has(tmp_path: Path, settings: str) -> None:
    """Packers with what neither profile has; short, as coverage is of the profiles."""
    tests = [f"--test={name}" for name in _PACK_TESTS]
    _passes(tmp_path, "verilator", settings, "pack", ["--cycles=6000", "--no-coverage", *tests])


@pytest.mark.parametrize(
    ("start", "taken"),
    [
        ("blackhole,math_enc=WH", slice(0)),
        ("blackhole", slice(0, None, 2)),
        ("blackhole", slice(1, None, 2)),
    ],
)
def test_matrix_units_that_no_profile_is(tmp_path: Path, start: str, taken: slice) -> None:
    """What the newer chip does in the older one's field map, and halves of it without the other."""
    values = [f"{name}={value}" for name, value in list(_OF_CHIPS.items())[taken]]
    tests = [f"--test={name}" for name in _STANDIN_TESTS]
    profile = ",".join([start, *values])
    _passes(tmp_path, "verilator", profile, "standin", ["--cycles=6000", "--no-coverage", *tests])


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
    command = [sys.executable, "-m", "tilepath", "run", "--block", block]
    command += ["--sim", sim, "--profile", profile]
    command += ["--root-seed", "1", "--jobs", "1", "--out", str(tmp_path), *options]
    done = subprocess.run(command, capture_output=True, text=True, timeout=2400, check=False)
    assert done.returncode == 0, done.stdout[-5000:] + done.stderr[-2000:]
    assert IN_RUNS not in done.stdout, done.stdout[-2000:]
    if "--no-coverage" not in options:
        coverage = merge_files(sorted(tmp_path.glob(f"{block}/*/coverage.json")))
        assert coverage.missing() == []
