# SPDX-License-Identifier: Apache-2.0
"""What the engine has to know of this project."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from tilepath.engine.project import ENGINE, Project
from tilepath.isa import assemble, errata, profiles


def _pipe_programs(tests: Sequence[str], _profile: str) -> tuple[str, ...]:
    from tilepath.cli.pipes import own_programs

    return own_programs(tests)


def _kernels(tests: Sequence[str], profile: str) -> tuple[str, ...]:
    from tilepath.cli.kernels import own_kernels

    return own_kernels(tests, profile)


def _where_cycles_went(block: str, run_dir: Path) -> None:
    if block == "datapath":
        from tilepath.cli.kernel_report import show_headline

        show_headline(run_dir)


PROJECT: Final = Project(
    root=ENGINE.parent,
    package="tilepath",
    profiles=profiles,
    assemble=assemble,
    fault_name=errata.named,
    program_files={".pipe": _pipe_programs, ".kernel": _kernels},
    extensions="tilepath.cli",
    of_one_run=_where_cycles_went,
)
