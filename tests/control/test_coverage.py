# SPDX-License-Identifier: Apache-2.0
"""The coverage model as a whole: by hand, in every profile, with what cannot be."""

from __future__ import annotations

import pytest

from tilepath.engine.compiled.columns import column
from tilepath.models.control import ControlModel
from tilepath.tb.control.coverage import ControlCoverage
from tilepath.tests.control.model_helpers import seen
from tilepath.tests.control.vectors import Vector, covered_by, inputs_of
from tilepath.tests.coverage_runs import hits

STALLED: Vector = {
    "t0": ["@1 STALLWAIT block=0x40 cond=0x200", "MVMUL"], "busy": [[0, 0x200], [4, 0]],
    "cycles": 10,
}  # fmt: skip


BY_HAND = {
    "gate.latched_x_block_bit_x_class": {"stallwait*b6*b6*held": 3},
    "gate.latched_x_lived": {"stallwait*>2": 1},
    "gate.condition_x_latch": {"stallwait*not_met*stays": 2, "stallwait*met*cleared": 1},
    "gate.cleared_while": {"stallwait*held": 1},
    "gate.stallwait_condition": {"cond9*holds_alone": 2, "cond9*released": 1},
    "gate.opcode": {"26*held": 3, "26*free": 1},
    "gate.wait_opcode": {"a2*free": 1},
    "gate.condition_pulse": {},
    "arbiter.threads_x_winner": {"math*t0*t0": 1},
    "unit.ready_x_outcome": {"math*ready*issues": 1, "math*ready*waits": 3},
}


def test_a_stalled_matrix_word_by_hand() -> None:
    """STALLWAIT in 1, latch valid in 2 to 4, condition met in 4, held word issues in 5."""
    found = hits(covered_by(STALLED))
    assert {point: found.get(point, {}) for point in BY_HAND} == BY_HAND


@pytest.mark.parametrize(
    ("kind", "field", "value", "bins"),
    [
        ("gate", "wins", 1, ("gate.latched_x_block_bit_x_class", "stallwait*b6*b6*issued")),
        ("gate", "ready", 0, ("unit.ready_x_outcome", "math*not_ready*issues")),
    ],
)
def test_what_cannot_be_is_a_contradiction(
    kind: str, field: str, value: int, bins: tuple[str, str]
) -> None:
    model, coverage = ControlModel(), ControlCoverage("baseline")
    coverage.follow(model)
    streams = seen(inputs_of(STALLED), 10)
    model.step({name: streams[name] for name in model.inputs}, 10)
    column(model.account[0][kind], field)[:] = value
    coverage.sample(streams, 0, 10)
    assert bins in {row[:2] for row in coverage.contradicted()}


def test_profiles_have_the_same_bins_but_of_stale_registers() -> None:
    older, newer = (
        {
            f"{point}:{name}"
            for point, bins in ControlCoverage(p).report().points.items()
            for name in bins
        }
        for p in ("baseline", "blackhole")
    )
    assert older < newer and all("stale_gpr" in one for one in newer - older)
