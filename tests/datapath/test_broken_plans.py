# SPDX-License-Identifier: Apache-2.0
"""Kernels that break one rule: each shows as it is said to, and in the orders in which it is."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tilepath.engine.description.registry import tests_of
from tilepath.engine.host.run import RunRequest, run
from tilepath.models.kernels import parse, play
from tilepath.sequences.datapath.broken import (
    ALL,
    BROKEN,
    CHAIN,
    ONE_CONTEXT,
    SLOW,
    SUMS,
    Order,
    text_of,
)
from tilepath.sequences.datapath.kernels import own_tests
from tilepath.tb.datapath.streams import OWN_KERNELS
from tilepath.tests.cosim_runs import FAST
from tilepath.tests.datapath.kernel_files import PROFILES


def _said(text: str, profile: str, order: Order) -> str:
    """All that the machine says of a kernel; empty if it is right."""
    verdict = play(parse(text, profile=profile), order)
    machine = verdict.machine
    said = [*verdict.failed, *(one.name for one in (*machine.faults, *machine.events))]
    return "\n".join(said)


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("name", BROKEN)
def test_it_shows_in_these_orders_and_in_no_other(name: str, profile: str) -> None:
    broken = BROKEN[name]
    text = broken.text()
    for order in ALL:
        said = _said(text, profile, order)
        if order in broken.orders:
            assert broken.shows in said, order
        elif broken.elsewhere:
            assert broken.elsewhere in said and broken.shows not in said, order
        else:
            assert said == "", order


@pytest.mark.parametrize("profile", PROFILES)
def test_without_an_edit_all_is_well(profile: str) -> None:
    for plan in (SUMS, SLOW, ONE_CONTEXT, CHAIN):
        assert [_said(text_of(plan), profile, order) for order in ALL] == [""] * len(ALL)


def test_an_edit_of_what_is_not_there_is_refused() -> None:
    broken = BROKEN["context_kept"]
    with pytest.raises(ValueError, match=r"plan_math\.kernel has .* 0 times"):
        type(broken)("", "math", broken.right, "", "").text()


def _said_on_rtl(text: str, tmp_path: Path, patch: pytest.MonkeyPatch) -> str:
    """The same of a run on the RTL: its verdict and faults."""
    file = tmp_path / "broken.kernel"
    file.write_text(text)
    patch.setenv(OWN_KERNELS, str(file))
    patch.setitem(tests_of("datapath"), file.stem, own_tests()[file.stem])
    result = run(RunRequest("datapath", file.stem, 1, FAST, out_dir=tmp_path, cold=True))
    faults = json.loads((result.run_dir / "outcome.json").read_text())["faults"]
    return "\n".join([result.report.read_text() if result.report else result.message, *faults])


@pytest.mark.long
@pytest.mark.parametrize("name", [*BROKEN, None])
def test_it_shows_on_the_rtl(
    name: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if name is None:
        assert _said_on_rtl(text_of(SUMS), tmp_path, monkeypatch).strip() == ""
        return
    broken = BROKEN[name]
    said = _said_on_rtl(broken.text(), tmp_path, monkeypatch)
    assert (broken.rtl or broken.shows) in said, said
