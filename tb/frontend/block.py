# SPDX-License-Identifier: Apache-2.0
"""The front end as the kernel sees it."""

from __future__ import annotations

from collections.abc import Mapping

from tilepath.isa import profiles
from tilepath.isa.boundary.frontend import BOUNDARY
from tilepath.tb.frontend.accounts import ACCOUNTS
from tilepath.tb.frontend.streams import PLAYERS, STREAMS
from tilepath.tb.kernel.coverage.model import CoverageModel
from tilepath.tb.kernel.description.block import Block, BlockModel, Untimed
from tilepath.tb.kernel.description.words import explain_words


def _model(profile: str) -> BlockModel:
    from tilepath.models.frontend import FrontendModel

    return FrontendModel(profile)


def _untimed(profile: str) -> Untimed:
    from tilepath.tb.frontend.untimed import UntimedFrontend

    return UntimedFrontend(profile)


def _coverage(profile: str) -> CoverageModel:
    from tilepath.tb.frontend.coverage import FrontendCoverage

    return FrontendCoverage(profile)


def _parameters(profile: str) -> Mapping[str, int]:
    p = profiles.get(profile)
    return {
        "FifoDepth": p.fifo_depth,
        "MDepth": p.m_depth,
        "RDepth": p.r_depth,
        "ReplayCount0": p.replay_count0,
        "MopB2bFree": p.mop_b2b_free,
    }


BLOCK = Block(
    name="frontend",
    dut="frontend",
    rtl=("isa", "frontend"),
    streams=STREAMS,
    players=PLAYERS,
    model=_model,
    coverage=_coverage,
    accounts=ACCOUNTS,
    parameters=_parameters,
    explain=explain_words,
    state=BOUNDARY.state,
    untimed=_untimed,
    max_gates=60,
    max_levels=35,
)
