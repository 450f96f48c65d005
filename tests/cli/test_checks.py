# SPDX-License-Identifier: Apache-2.0
"""Tests of what ``make lint`` and ``make synth`` add to the tools they call."""

from __future__ import annotations

import json
import re
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from tilepath.cli.houserules import import_problems, missing_spdx, z_problems
from tilepath.cli.lint import plan_problems
from tilepath.engine.commands import synth, yosys
from tilepath.engine.commands.synth import Netlist, SynthError, synthesize, synthesize_modules
from tilepath.engine.coverage.plan import Bins, Point
from tilepath.engine.coverage.planned import PlannedCoverage
from tilepath.engine.description.registry import load_block
from tilepath.tb.adc.coverage.labels import plan
from tilepath.tests.cli.files import CASES, design, source, write

SOUND = source("sound.sv")
LATCH = source("latch.sv")
NESTED = source("nested.sv")


@pytest.mark.parametrize(("name", "line", "allowed"), CASES["imports"])
def test_imports_point_one_way(tmp_path: Path, name: str, line: str, allowed: bool) -> None:
    path = write(tmp_path, name, line + "\n")
    assert (list(import_problems([path], tmp_path)) == []) is allowed


def test_a_column_that_is_not_there_is_named() -> None:
    def coverage(profile: str) -> PlannedCoverage:
        own = plan("word", {"op": Bins("word.comand", ("a",))}, Point("a.op", ""))
        return PlannedCoverage("adc", profile, [own])

    found = list(plan_problems(replace(load_block("adc"), coverage=coverage, profiles=("one",))))
    says = "coverpoint a.op: 'word.comand': the account has no column word.comand"
    assert re.fullmatch(rf"tests/cli/test_checks.py:\d+: ValueError: {says}", *found)
    assert list(plan_problems(load_block("adc"))) == []


def test_a_missing_licence_line_is_named(tmp_path: Path) -> None:
    line = "SPDX-License-Identifier: Apache-2.0"
    write(tmp_path, "a.py", f"# {line}\n")
    write(tmp_path, "b.sv", "module b; endmodule\n")
    write(tmp_path, "run", f"#!/bin/sh\n# {line}\n")
    write(tmp_path, "late.py", "\n" * 9 + f"# {line}\n")
    write(tmp_path, "README.md", "no licence line here\n")
    assert [problem.partition(":")[0] for problem in missing_spdx(tmp_path)] == ["b.sv", "late.py"]


def test_a_z_in_a_number_is_named(tmp_path: Path) -> None:
    text = source("high_z.sv")
    write(tmp_path, "tb/a/hdl/a.svh", text)
    numbers = [n for n, line in enumerate(text.splitlines(), 1) if line.endswith("// named")]
    found = [problem.partition(": ")[0] for problem in z_problems(tmp_path)]
    assert found == [f"tb/a/hdl/a.svh:{number}" for number in numbers]


def test_a_sound_design_synthesizes(tmp_path: Path) -> None:
    found = synthesize("block", design(tmp_path, SOUND, Width=8))
    assert found.sound
    assert (found.flip_flops, found.latches) == (8, 0)
    assert found.cells > 8
    assert found.longest_path > 1
    assert found.ends[1] == "q_o"


DEEP = Netlist("adc", 9, 8, 0, 61, (), ends=("u_one.a_q", "u_two.b_q"), levels=36)


@pytest.mark.parametrize(
    ("gates", "levels", "max_gates", "max_levels", "too_deep"),
    [
        (61, 36, 60, 35, True),
        (60, 36, 60, 35, False),
        (61, 35, 60, 35, False),
        (61, None, 60, 35, True),
        (60, None, 60, 35, False),
        (61, 9, 60, 0, True),
        (999, 999, 0, 0, False),
        (9, 36, 0, 35, True),
    ],
)
def test_one_of_the_limits_must_hold(
    gates: int, levels: int | None, max_gates: int, max_levels: int, too_deep: bool
) -> None:
    found = replace(DEEP, longest_path=gates, levels=levels)
    assert found.too_deep(max_gates, max_levels) is too_deep


@pytest.mark.parametrize(("whole", "module", "status"), [(61, 60, 1), (60, 61, 1), (60, 60, 0)])
def test_a_path_that_is_too_long_is_a_complaint(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    whole: int,
    module: int,
    status: int,
) -> None:
    inner = replace(DEEP, block="adc_group", longest_path=module)
    monkeypatch.setattr(
        synth, "synthesize", lambda *_, **__: replace(DEEP, longest_path=whole, levels=None)
    )
    monkeypatch.setattr(synth, "synthesize_modules", lambda *_, **__: [("adc.1", inner)])
    monkeypatch.setattr(synth.yosys, "levels", lambda *_: 36)
    loaded = {"adc": replace(load_block("adc"), max_gates=60, max_levels=35)}
    monkeypatch.setattr(synth, "load_block", loaded.__getitem__)
    monkeypatch.setattr(sys, "argv", ["synth", "--block", "adc"])
    assert synth.main() == status
    printed = capsys.readouterr()
    assert "u_one.a_q … u_two.b_q" in printed.out
    assert "adc_group" in printed.out
    said = "61 gates and 36 levels from u_one.a_q to u_two.b_q, 60 gates or 35" in printed.err
    assert said == (status > 0)
    assert ("adc: adc_group: 61 gates" in printed.err) == (module > 60)


def test_modules_that_differ_at_most_by_constants_are_one_kind() -> None:
    leaf = {"num_cells_by_type": {"$add_8": 1}}
    wide = {"num_cells_by_type": {"$add_9": 1}}
    middle = [{"num_cells_by_type": {f"leaf$t.u_{n}.u_leaf": 2}} for n in range(3)]
    modules = {f"\\leaf$t.u_{n}.u_leaf": (leaf, leaf, wide)[n] for n in range(3)}
    modules |= {f"\\middle$t.u_{n}": middle[n] for n in range(3)}
    found = yosys.kinds(json.dumps({"modules": modules}))
    assert found == {
        "leaf$t.u_0.u_leaf": "leaf",
        "leaf$t.u_2.u_leaf": "leaf",
        "middle$t.u_0": "middle",
        "middle$t.u_2": "middle",
    }


def test_depth_after_abc_and_by_module(tmp_path: Path) -> None:
    sources = design(tmp_path, NESTED)
    whole = synthesize("block", sources)
    assert 0 < yosys.levels(tmp_path, "block", whole.cells) < whole.longest_path
    found = [one for _, one in synthesize_modules("block", sources)]
    assert sorted((one.block, one.flip_flops) for one in found) == [("chain", 4), ("chain", 12)]
    assert max(one.longest_path for one in found) == whole.longest_path
    assert [one.ends[1] for one in found] == ["q_o", "q_o"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (LATCH, "latch"),
        (LATCH.replace("always_comb", "always @*"), "latch"),
        (SOUND.replace("q_o + a_i", "q_o + nosuch(a_i)"), "ERROR"),
        (SOUND.replace("endmodule", "nosuch u_x (.a(a_i));\nendmodule"), "ERROR"),
        (SOUND.replace("q_o + a_i", "$random"), "ERROR"),
    ],
)
def test_what_does_not_synthesize_is_an_error(tmp_path: Path, text: str, expected: str) -> None:
    try:
        found = synthesize("block", design(tmp_path, text))
    except SynthError as error:
        assert expected in str(error)
    else:
        assert not found.sound
