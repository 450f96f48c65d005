# SPDX-License-Identifier: Apache-2.0
"""``tilepath list --errata``, the page of errata, and profiles that have no such erratum."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from tilepath.cli import errata as command
from tilepath.engine.checking.faults import FaultCheck
from tilepath.engine.checking.finding import CheckError
from tilepath.engine.description.registry import load_block
from tilepath.isa import errata
from tilepath.isa.boundary.unpack import FAULTS
from tilepath.models.kernels import load, play
from tilepath.models.machine import Fault
from tilepath.tests.cli.fakes import printed


def _listed(*arguments: str) -> list[str]:
    """Names of the errata that are printed, in order."""
    lines = printed("list", "--errata", *arguments).splitlines()
    head = next(line for line in lines if line.startswith("block"))
    names = [line[head.index("erratum") :].split(" ")[0] for line in lines]
    return [name for name in names if name and name != "erratum"]


def test_all_errata_are_listed_and_those_of_a_block_or_profile() -> None:
    every = list(errata.table())
    assert _listed() == every
    assert _listed("--block", "frontend") == ["replay_count0"]
    assert _listed("--block", "datapath") == every
    assert "srca_clobbered" in _listed("--block", "standin")
    assert "srca_clobbered" in _listed("--block", "unpack", "--block", "adc")
    profiles = ("baseline", "blackhole", "blackhole,implied_fmt=0", "baseline,row_w=16")
    of = {profile: {*_listed("--profile", profile)} for profile in profiles}
    assert {"zerosrc_neginf_srcb", "tf32_low"} <= of["baseline"]
    assert not {"implied_fmt", "replay_count0"} & of["baseline"]
    assert of["blackhole"] >= {"implied_fmt", "replay_count0", "tf32_low"}
    assert of["blackhole"] - of["blackhole,implied_fmt=0"] == {"implied_fmt"}
    assert of["baseline"] - of["baseline,row_w=16"] == {"row_w"}


def test_a_row_says_everything() -> None:
    text = " ".join(printed("list", "--errata", "--block", "unpack", "--block", "frontend").split())
    for part in ("zerosrc_neginf_srcb=1", "fault neginf_srcb", "U57", "baseline"):
        assert part in text


def test_an_erratum_is_found_on_the_page() -> None:
    """By a link at its top, and where its name is an anchor, in the table of its block."""
    text = command.page()
    assert command.PAGE.read_text() == text
    head, *sections = re.split(r"^## ", text, flags=re.MULTILINE)
    anchors = re.findall(r'^\| <a id="(\w+)">', text, re.MULTILINE)
    assert anchors == list(errata.table())
    for name, one in errata.table().items():
        (section,) = (some for some in sections if f'<a id="{name}">' in some)
        (row,) = (line for line in section.splitlines() if f'<a id="{name}">' in line)
        assert section.startswith(f"{one.blocks[0]}\n") and f"[{name}](#{name})" in head
        for part in (*one.chips, one.what, one.clear, one.source, one.turned_off, *one.faults):
            assert part in row


def test_a_fault_of_a_kernel_names_its_erratum(tmp_path: Path) -> None:
    file = tmp_path / "reset.kernel"
    file.write_text("thread 0 {\n    WRCFG 0,0,4\n}\n")
    text = printed("model", file, status=1)
    assert text.startswith("fault state_reset (erratum state_reset, docs/silicon.md): thread 0: ")
    machine = play(load(file)).machine
    assert [one.erratum for one in machine.faults] == ["state_reset"]
    assert Fault("illegal", 0, 0).erratum == ""


def test_the_report_of_an_undeclared_fault_names_its_erratum() -> None:
    block = load_block("unpack")
    streams = {name: stream.empty() for name, stream in block.stream_table.items()}
    name = next(one for one in streams if one.endswith(".fault"))
    records = np.zeros(1, streams[name].dtype)
    records["flags"] = sum(1 << one.bit for one in FAULTS if one.name == "burst")
    streams[name] = records
    with pytest.raises(CheckError) as caught:
        FaultCheck(block, ()).check(streams, streams, lambda event: "a word")
    for text in (str(caught.value), caught.value.report):
        assert f"{name} burst (erratum srca_burst, docs/silicon.md), cycle 0: this test" in text
