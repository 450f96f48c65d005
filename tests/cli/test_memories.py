# SPDX-License-Identifier: Apache-2.0
"""Tests of the memories that ``make synth`` leaves as black boxes, and of ports that do not fit."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import pytest

from tilepath.engine.commands import synth
from tilepath.engine.commands.memories import Memory
from tilepath.engine.commands.synth import Netlist, SynthError, synthesize, synthesize_modules
from tilepath.engine.commands.yosys import Sources
from tilepath.engine.description.registry import load_block
from tilepath.tests.cli.files import CASES, design, source

MEMORY = source("memory.sv")
WIDTHS = source("widths.sv")
PORTS = source("ports.sv")


def test_a_macro_stays_a_black_box(tmp_path: Path) -> None:
    boxed, gates = design(tmp_path, MEMORY, "store"), design(tmp_path, MEMORY)
    found = synthesize("block", boxed)
    assert found.sound
    assert (found.flip_flops, found.macros, found.memory_bits) == (8, 2, 96 * 8)
    assert found.memories == (
        Memory("u_one", "store", 64, 8, writes=1, reads=1, registered=False),
        Memory("u_two", "store", 32, 8, writes=1, reads=1, registered=False),
    )
    assert synthesize_modules("block", boxed) == []
    whole = synthesize("block", gates)
    assert whole.sound
    assert (whole.flip_flops, whole.macros) == (8 + 96 * 8, 0)
    assert whole.cells > found.cells + 96 * 8


def test_each_macro_has_the_widths_of_its_parameters(tmp_path: Path) -> None:
    sources = design(tmp_path, WIDTHS, "store")
    found = synthesize("block", sources)
    assert (found.macros, found.memory_bits) == (3, 2 * 8 * 64 + 3 * 4)
    assert found.cells == 2 * 6 + 2 * 2 + 8  # an inverter for each bit of an address, and of data
    modules = [one for _, one in synthesize_modules("block", sources)]
    figures = [(one.block, one.cells, one.macros, one.memory_bits) for one in modules]
    assert sorted(figures) == [("inverted", 4, 1, 12), ("inverted", 12, 1, 512)]


MISFIT = r"^3 ports do not fit: in \S+u_three: instance u_store, port \w+: from \d+ to \d+ bits"


def test_a_port_that_is_made_to_fit_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Boxes that read_slang makes itself have the ports of one instance."""
    sources = design(tmp_path, WIDTHS, "store")
    read = Sources.read
    monkeypatch.setattr(Sources, "read", lambda *x: read(*x) + " --blackboxed-module store")
    monkeypatch.setattr(Sources, "box", lambda _: [])
    for synthesis in (synthesize, synthesize_modules):
        with pytest.raises(SynthError, match=MISFIT):
            synthesis("block", sources)


@pytest.mark.parametrize(("before", "after", "expected"), CASES["misfits"])
def test_a_port_that_the_source_connects_wrongly_is_an_error(
    tmp_path: Path, before: str, after: str, expected: str
) -> None:
    """Cut or padded by read_slang, so that nothing is left for Yosys to see."""
    assert WIDTHS.count(before) == 1
    sources = design(tmp_path, WIDTHS.replace(before, after), "store")
    for synthesis in (synthesize, synthesize_modules):
        with pytest.raises(SynthError) as error:
            synthesis("block", sources)
        assert str(error.value).startswith(expected)
        assert "\n" not in str(error.value)


def test_a_macro_around_a_macro_is_an_error(tmp_path: Path) -> None:
    """It would count twice, or not at all."""
    sources = design(tmp_path, WIDTHS, "inverted", "store")
    for synthesis in (synthesize, synthesize_modules):
        with pytest.raises(SynthError, match=r"macro inverted\$dut\.u_.+ has 0 memories in it"):
            synthesis("block", sources)


def test_memories_that_are_alike_are_one_line_with_their_ports(tmp_path: Path) -> None:
    """A mask makes no ports; what is read is registered."""
    found = synthesize("b", design(tmp_path, PORTS, "bank"))
    bank = Memory("gen_bank[*].u_bank", "bank", 8, 16, writes=2, reads=2, registered=True)
    assert found.memories == (replace(bank, instances=3),)
    assert (found.macros, found.memory_bits, found.longest_path) == (3, 3 * 8 * 16, 0)


def test_memories_are_printed_once(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Those of a module are its block's: not a second time."""
    bank = Memory("gen[*].u_bank", "bank", 8, 16, 2, 1, registered=True, instances=3)
    queue = Memory("u_queue", "bank", 4, 9, 1, 1, registered=False)
    whole = Netlist("adc", 9, 8, 0, 5, (), memories=(bank, queue))
    monkeypatch.setattr(synth, "synthesize", lambda *_, **__: whole)
    monkeypatch.setattr(
        synth, "synthesize_modules", lambda *_, **__: [("adc.1", replace(whole, block="adc_group"))]
    )
    monkeypatch.setattr(synth.yosys, "levels", lambda *_: 5)
    monkeypatch.setattr(synth, "load_block", {"adc": load_block("adc")}.__getitem__)
    monkeypatch.setattr(sys, "argv", ["synth", "--block", "adc", "--modules"])
    assert synth.main() == 0
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    at = next(n for n, line in enumerate(lines) if "memories" in line)
    assert [" ".join(line) for line in lines[at + 1 :]] == [
        "adc 3 8 × 16 384 2 1 a cycle later gen[*].u_bank",
        "adc 1 4 × 9 36 1 1 at once u_queue",
        "adc 4 420",
    ]


def test_a_macro_that_is_nowhere_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(SynthError, match="no instance of macro queue"):
        synthesize("block", design(tmp_path, MEMORY, "store", "queue"))
